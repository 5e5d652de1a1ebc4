import { X } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import type { RocBasis } from '../../../../shared/api/contract.ts';
import { keyed, keyOf } from '../../../app/keysInForce.ts';
import {
  basisText,
  type ChoiceName,
  choiceChange,
  choiceParam,
  noChoice,
  type Scope,
  type UrlChoice,
} from '../../../data/rocChoice.ts';
import { useUrlQuery } from '../../../data/usePlace.ts';
import { Button, IconButton, Segmented } from '../../../ui/Controls.tsx';
import { counted } from '../../../ui/numbers.ts';
import { useTakenFocus } from '../../../ui/useTakenFocus.ts';
import { CopySettings } from './CopySettings.tsx';
import { SettingField } from './SettingField.tsx';
import { FIELD_GROUPS, isIdle } from './settingFields.ts';
import './roc.css';

interface WhatIfPanelProps {
  readonly runKey: string;
  readonly step: number | undefined;
  /** What the what-if is compared with; undefined until the host has said it. */
  readonly basis: RocBasis | undefined;
  /** In full, as the host understood it; undefined: no what-if. */
  readonly whatIfBasis: RocBasis | undefined;
  readonly choice: UrlChoice;
  readonly scopes: readonly { readonly id: Scope; readonly label: string }[];
  readonly scope: Scope;
  /** The outcome, on top: what one changes below shows above. */
  readonly children: ReactNode;
}

/** The settings of a what-if beside what they change. Everything chosen stands in the URL. */
export function WhatIfPanel(props: WhatIfPanelProps) {
  const { runKey, step, basis, whatIfBasis, choice, scopes, scope, children } = props;
  const [query, setQuery] = useUrlQuery();
  const panel = useRef<HTMLElement>(null);
  // The next Tab is to be in the panel one has just opened, not at the end of the rows.
  useTakenFocus(panel);
  const assertion = whatIfBasis?.assertion;
  const rule = choice.whatIf?.rule ?? basis?.rule ?? 'release';
  const textOf = (name: ChoiceName) =>
    (choice.chosen.includes(name) ? query.get(choiceParam(name)) : undefined) ??
    (basis === undefined ? '' : basisText(basis, name));
  return (
    <aside ref={panel} className="what-if" aria-label="What if" tabIndex={-1}>
      <header>
        <h2>What if</h2>
        {scopes.length > 1 && (
          <Segmented
            label="Scope"
            chosen={scope}
            onChoose={(chosen) => setQuery({ whatif: chosen })}
            choices={scopes}
          />
        )}
        <IconButton
          label="Close the what-if panel"
          keys={keyOf('whatIf.flip')}
          onClick={() => setQuery({ whatif: undefined })}
        >
          <X size={15} />
        </IconButton>
      </header>
      <div className="what-if-body">
        <div className="what-if-outcome">{children}</div>
        {assertion !== undefined && scope !== 'group' && <p className="is-wrong">✕ {assertion}</p>}
        {choice.unreadable.length > 0 && (
          <p className="is-wrong">
            ✕ Left out of this address, no such value: {choice.unreadable.join(', ')}
          </p>
        )}
        {FIELD_GROUPS.map((group) => (
          <section key={group.title}>
            <h3>{group.title}</h3>
            {group.fields
              .filter((field) => !(field.name.startsWith('paper_') && isIdle(field, rule)))
              .map((field) => (
                <SettingField
                  key={field.name}
                  field={field}
                  value={textOf(field.name)}
                  isChosen={choice.chosen.includes(field.name)}
                  isIdle={isIdle(field, rule)}
                  onChange={(text) => basis !== undefined && setQuery(choiceChange(basis, field.name, text))}
                  onReset={() => setQuery({ [choiceParam(field.name)]: undefined })}
                />
              ))}
          </section>
        ))}
        {basis !== undefined && (
          <CopySettings
            basis={whatIfBasis ?? basis}
            runKey={runKey}
            step={scope === 'run' ? undefined : step}
          />
        )}
      </div>
      <footer>
        <Button
          disabled={choice.chosen.length === 0}
          onClick={() => setQuery(noChoice())}
          title={keyed('Back to what was decided under', 'whatIf.reset')}
        >
          Reset
        </Button>
        <span className="dim">
          {choice.chosen.length === 0
            ? 'nothing changed'
            : `${counted(choice.chosen.length, 'setting')} changed`}
        </span>
      </footer>
    </aside>
  );
}
