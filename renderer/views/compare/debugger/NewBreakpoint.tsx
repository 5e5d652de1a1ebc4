import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { TaxonomyState } from '../../../../shared/api/contract.ts';
import { type BreakpointFault, breakpointIn } from '../../../../shared/domain/breakpointText.ts';
import { FLAGS } from '../../../../shared/domain/flags.ts';
import { TOOL_OUTCOMES } from '../../../../shared/domain/model.ts';
import { useRequest } from '../../../data/useRequest.ts';
import { Button } from '../../../ui/Controls.tsx';
import { leaveField } from '../../../ui/useAutoFocus.ts';
import { labelFault, READY_MADE, type ReadyMade, withCondition } from './breakModel.ts';

/** Complete breakpoints that the field offers. */
const COMPLETIONS = [
  'first error',
  'error',
  'answer',
  'fork',
  ...TOOL_OUTCOMES.map((outcome) => `outcome:${outcome}`),
  'value:90',
  'value:95',
  'value:99',
  ...FLAGS.map((flag) => `flag:${flag}`),
];

interface NewBreakpointProps {
  /** Names of the tools that the lanes call. */
  readonly tools: readonly string[];
  readonly onAdd: (text: string) => void;
}

export function NewBreakpoint({ tools, onAdd }: NewBreakpointProps) {
  const labels = knownLabels(useRequest('taxonomy.get', {}).data);
  const [text, setText] = useState('');
  const [isTried, setTried] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const read = breakpointIn(text);
  const fault = 'message' in read ? read : labels && labelFault(text, labels);
  const add = () => {
    setTried(true);
    if (fault !== undefined) return;
    onAdd(text);
    setText('');
    setTried(false);
    // Leave the field so that d works again.
    if (field.current !== null) leaveField(field.current);
  };
  const take = (ready: ReadyMade) => {
    if (text.trim() === '' && ready.hole === undefined) return onAdd(ready.text);
    const next = withCondition(text, ready);
    // Flush at once, so that the next key press finds the new text in the field.
    flushSync(() => setText(next.text));
    field.current?.focus();
    field.current?.setSelectionRange(next.start, next.end);
  };
  return (
    <form
      className="break-new"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <div className="break-field">
        <input
          ref={field}
          id="new-breakpoint"
          className="text-field mono"
          aria-label="New breakpoint"
          aria-invalid={isTried && fault !== undefined}
          placeholder="error & turn:2"
          list="breakpoint-completions"
          spellCheck={false}
          autoComplete="off"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            event.preventDefault();
            leaveField(event.currentTarget);
          }}
        />
        <datalist id="breakpoint-completions">
          {[
            ...COMPLETIONS,
            ...tools.map((tool) => `tool:${tool}`),
            ...(labels ?? []).map((label) => `label:${label}`),
          ].map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <Button type="submit" disabled={text.trim() === ''}>
          Add
        </Button>
      </div>
      {text.trim() !== '' && fault !== undefined && isTried && <FaultText text={text} fault={fault} />}
      <fieldset className="break-ready" aria-label="Conditions">
        {READY_MADE.map((ready) => (
          <button type="button" key={ready.label} title={ready.text} onClick={() => take(ready)}>
            {ready.label}
          </button>
        ))}
      </fieldset>
    </form>
  );
}

/** Labels of the taxonomy, and others in use. */
function knownLabels(state: TaxonomyState | undefined): readonly string[] | undefined {
  if (state === undefined) return undefined;
  return [
    ...new Set([...state.taxonomy.labels.map(({ id }) => id), ...state.counts.map(({ label }) => label)]),
  ];
}

/** The part that cannot be parsed, and the error message. */
export function FaultText({ text, fault }: { readonly text: string; readonly fault: BreakpointFault }) {
  const { message, start, end } = fault;
  return (
    <p className="break-fault is-wrong" role="alert">
      <span className="mono">
        {text.slice(0, start)}
        <mark>{text.slice(start, end) || '␣'}</mark>
        {text.slice(end)}
      </span>
      <span>
        ✕ at character {start + 1}: {message}
      </span>
    </p>
  );
}
