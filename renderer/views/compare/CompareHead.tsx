/**
 * Above the rows: the sticky lane heads, then facts and prompts, which scroll away. Kept low to leave room for the
 * rows.
 */

import { useMemo } from 'react';
import { plainQuestion } from '../../../shared/domain/question.ts';
import type { CompareLink } from '../../data/compareLink.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useInterface } from '../../state/interface.ts';
import { LogText, plainLogText } from '../../ui/LogText.tsx';
import { UnequalMark } from '../../ui/Marks.tsx';
import { counted } from '../../ui/numbers.ts';
import { withLongWord } from '../../ui/SourceText.tsx';
import { MarkdownText } from '../replay/text/MarkdownText.tsx';
import { KIND_LABELS } from './blockModel.ts';
import { isDrawn } from './Cell.tsx';
import { type FactLine, judgedApart, laneFacts } from './factsModel.ts';
import { LaneHead } from './LaneHead.tsx';
import { type Compared, type Lane, type LaneSlot, laneNotes, questionOf } from './lanes/laneModel.ts';
import { SideProse } from './Texts.tsx';
import type { LinkActions } from './useCompareLink.ts';

interface CompareHeadProps {
  readonly link: CompareLink;
  readonly slots: readonly LaneSlot[];
  readonly lanes: readonly Lane[];
  readonly compared: Compared | undefined;
  readonly actions: LinkActions;
}

/** UTF-16 units of prompt in a `title` or a collapsed line. More never fits on one line. */
const TITLE = 600;
const NO_RUNS = [] as const;

export function CompareHead({ link, slots, lanes, compared, actions }: CompareHeadProps) {
  const runs = useRequest('run.list', {}).data ?? NO_RUNS;
  const base = lanes.find(({ index }) => index === link.base) ?? lanes[0];
  const facts = useMemo(
    () =>
      laneFacts(
        lanes.map(({ detail }) => detail.row),
        base === undefined ? 0 : lanes.indexOf(base),
      ),
    [lanes, base],
  );
  return (
    <>
      <div className="cmp-head-grid is-sticky">
        <span className="cmp-gutter" />
        {slots.map((slot) => (
          <LaneHead
            key={slot.index}
            slot={slot}
            lanes={lanes}
            compared={compared}
            isBase={base === undefined ? slot.index === link.base : slot.index === base.index}
            isOn={slot.index === link.on}
            count={slots.length}
            notes={
              slot.state === 'found' && base !== undefined ? laneNotes(slot.lane, lanes, base, runs) : []
            }
            actions={actions}
          />
        ))}
      </div>
      <LaneFacts slots={slots} lanes={lanes} base={base} facts={facts} />
      {base !== undefined &&
        lanes.map((lane) => {
          const note = judgedApart(
            { ...base.detail, letter: base.letter },
            { ...lane.detail, letter: lane.letter },
          );
          return note === undefined ? null : (
            <p key={lane.index} className="cmp-judged muted">
              {note}
            </p>
          );
        })}
      <Prompts slots={slots} lanes={lanes} facts={facts} />
    </>
  );
}

function promptText(lanes: readonly Lane[], isShared: boolean): string {
  if (!isShared) return 'prompts differ';
  const length = counted(lanes[0]?.detail.prompt.length ?? 0, 'character');
  return `${lanes.length > 1 ? 'the same prompt' : 'prompt'} · ${length}`;
}

interface PromptsProps {
  readonly slots: readonly LaneSlot[];
  readonly lanes: readonly Lane[];
  readonly facts: readonly FactLine[];
}

/** The prompt, once if all lanes share it, else one per lane. Collapsed to one line until it is opened. */
function Prompts({ slots, lanes, facts }: PromptsProps) {
  const key = `prompts ${lanes.map(({ detail }) => detail.row.rolloutId).join(' ')}`;
  const isOpen = useInterface((state) => state.flippedStretches.has(key));
  const flip = useInterface((state) => state.flipStretch);
  const [first] = lanes;
  if (first === undefined) return null;
  const isShared = lanes.every(({ detail }) => detail.prompt === first.detail.prompt);
  return (
    <div className={isOpen ? 'cmp-prompts is-open' : 'cmp-prompts'}>
      <div className="cmp-prompt-line">
        <FactsToggle facts={facts} />
        <button type="button" className="cmp-fold is-small" aria-expanded={isOpen} onClick={() => flip(key)}>
          {isOpen ? '▾' : '▸'} {promptText(lanes, isShared)}
        </button>
        {isShared && !isOpen && <OneLine text={questionOf(first)} />}
      </div>
      {isShared && isOpen && <PromptOf lane={first} />}
      {!isShared && (
        <div className="cmp-head-grid">
          <span className="cmp-gutter" />
          {slots.map((slot) =>
            slot.state !== 'found' ? (
              <span key={slot.index} />
            ) : isOpen ? (
              <PromptOf key={slot.index} lane={slot.lane} />
            ) : (
              <OneLine key={slot.index} text={questionOf(slot.lane)} />
            ),
          )}
        </div>
      )}
    </div>
  );
}

/** A prompt by its messages, without the marks of its chat template. A user's message is drawn as in a replay. */
function PromptOf({ lane }: { readonly lane: Lane }) {
  const asked = lane.segments.filter((view) => view?.segment.turn === 0);
  return (
    <div className="cmp-question">
      {asked.length === 0 && (
        <SideProse text={lane.detail.prompt} stretch={`${lane.letter} prompt`} isElided={false} />
      )}
      {asked.map((view) => (
        <div key={view.index}>
          <b className="dim">{KIND_LABELS[view.segment.kind]}</b>
          {(view.segment.kind === 'user' || view.segment.kind === 'text') && isDrawn(view.inner) ? (
            <div className={withLongWord('prose', view.inner)}>
              <MarkdownText text={view.inner} start={view.segment.inner.start} source={view.source} />
            </div>
          ) : (
            <SideProse text={view.inner} stretch={`${lane.letter} prompt ${view.index}`} isElided={false} />
          )}
        </div>
      ))}
    </div>
  );
}

/** The first line of a prompt. The fold beside it shows the length and opens the rest. */
function OneLine({ text }: { readonly text: string }) {
  return (
    <span className="cmp-question-line" title={plainLogText(text.slice(0, TITLE))}>
      {plainQuestion(text)}
    </span>
  );
}

/** Characters of a fact, more than its three lines show. */
const LONGEST_FACT = 600;

interface LaneFactsProps {
  readonly slots: readonly LaneSlot[];
  readonly lanes: readonly Lane[];
  readonly base: Lane | undefined;
  readonly facts: readonly FactLine[];
}

/** Facts about each lane: a row per fact, a column per lane. */
function LaneFacts({ slots, lanes, base, facts }: LaneFactsProps) {
  const areAllShown = useInterface((state) => state.areLaneFactsOpen);
  const shown = areAllShown ? facts : facts.filter(({ isMain }) => isMain);
  if (shown.length === 0) return null;
  return (
    <table className="cmp-facts" aria-label="Facts of the lanes">
      <thead className="visually-hidden">
        <tr>
          <th scope="col">fact</th>
          {slots.map((slot) => (
            <th key={slot.index} scope="col">
              {slot.state === 'found' ? slot.lane.letter : ''}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {shown.map((fact) => (
          <tr key={fact.label}>
            <th scope="row">{fact.label}</th>
            {slots.map((slot) => {
              const at = slot.state === 'found' ? lanes.indexOf(slot.lane) : -1;
              const value = fact.values[at];
              if (value === undefined || value.text === '') return <td key={slot.index} />;
              const difference = value.isDifferent ? `differs from ${base?.letter ?? 'the baseline'}` : '';
              return (
                <td
                  key={slot.index}
                  className={value.isDifferent ? 'is-different' : undefined}
                  title={plainLogText(
                    [`${fact.label}, ${value.hint}`, difference, value.text.slice(0, LONGEST_FACT)]
                      .filter((part) => part !== '')
                      .join('\n'),
                  )}
                >
                  {value.isDifferent && (
                    <i>
                      <UnequalMark meaning={difference} />
                    </i>
                  )}
                  <LogText text={value.text} longest={LONGEST_FACT} />
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Renders nothing if there are no further facts. */
function FactsToggle({ facts }: { readonly facts: readonly FactLine[] }) {
  const areAllShown = useInterface((state) => state.areLaneFactsOpen);
  const flip = useInterface((state) => state.flip);
  const more = facts.filter(({ isMain }) => !isMain).length;
  if (more === 0) return null;
  return (
    <button
      type="button"
      className="cmp-fold is-small"
      aria-expanded={areAllShown}
      title={facts.map(({ label }) => label).join(', ')}
      onClick={() => flip('areLaneFactsOpen')}
    >
      {areAllShown ? '▾ fewer facts' : `▸ ${more} more fact${more === 1 ? '' : 's'}`}
    </button>
  );
}
