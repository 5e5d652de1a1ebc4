/** Over the rows: the lanes' heads, which stick, and their facts and prompts, which scroll away. */
import { useMemo } from 'react';
import type { CompareLink } from '../../data/compareLink.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useInterface } from '../../state/interface.ts';
import { counted } from '../../ui/numbers.ts';
import { SourceText } from '../../ui/SourceText.tsx';
import { laneFacts } from './factsModel.ts';
import { LaneHead } from './LaneHead.tsx';
import { type Compared, type Lane, type LaneSlot, laneNotes } from './laneModel.ts';
import type { LinkActions } from './useCompareLink.ts';

interface CompareHeadProps {
  readonly link: CompareLink;
  readonly slots: readonly LaneSlot[];
  readonly lanes: readonly Lane[];
  readonly compared: Compared | undefined;
  readonly actions: LinkActions;
}

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
      <div className="cmp-head-grid cmp-facts-row">
        <span className="cmp-gutter" />
        {slots.map((slot) => {
          const at = slot.state === 'found' ? lanes.indexOf(slot.lane) : -1;
          return (
            <dl key={slot.index} className="cmp-facts">
              {(facts[at] ?? []).map((fact) => (
                <div
                  key={fact.label}
                  className={[fact.isDifferent ? 'is-different' : '', fact.isWide ? 'is-wide' : ''].join(' ')}
                  title={[
                    fact.hint,
                    fact.isDifferent ? `differs from ${base?.letter ?? 'the baseline'}` : '',
                    fact.value,
                  ]
                    .filter((part) => part !== '')
                    .join('\n')}
                >
                  <dt>{fact.label}</dt>
                  <dd>
                    {fact.isDifferent && <i aria-hidden="true">≠</i>}
                    <SourceText text={fact.value} />
                  </dd>
                </div>
              ))}
            </dl>
          );
        })}
      </div>
      <Prompts slots={slots} lanes={lanes} />
    </>
  );
}

/** The last message before the response: what was asked. */
function question(lane: Lane): string {
  const asked = lane.segments
    .filter((view) => view?.segment.turn === 0 && view.segment.kind !== 'system')
    .at(-1);
  return asked?.inner ?? lane.detail.prompt;
}

function promptText(lanes: readonly Lane[], isShared: boolean): string {
  if (!isShared) return 'prompts differ';
  const length = counted(lanes[0]?.detail.prompt.length ?? 0, 'character');
  return `${lanes.length > 1 ? 'the same prompt' : 'prompt'} · ${length}`;
}

/** Once where it is the same for all, else one per lane. */
function Prompts({ slots, lanes }: { readonly slots: readonly LaneSlot[]; readonly lanes: readonly Lane[] }) {
  const key = `prompts ${lanes.map(({ detail }) => detail.row.rolloutId).join(' ')}`;
  const isOpen = useInterface((state) => state.flippedStretches.has(key));
  const flip = useInterface((state) => state.flipStretch);
  const [first] = lanes;
  if (first === undefined) return null;
  const isShared = lanes.every(({ detail }) => detail.prompt === first.detail.prompt);
  return (
    <div className={isOpen ? 'cmp-prompts is-open' : 'cmp-prompts'}>
      <button type="button" className="cmp-fold is-small" aria-expanded={isOpen} onClick={() => flip(key)}>
        {isOpen ? '▾' : '▸'} {promptText(lanes, isShared)}
      </button>
      {isShared ? (
        <p className="cmp-question">
          <SourceText text={isOpen ? first.detail.prompt : question(first)} />
        </p>
      ) : (
        <div className="cmp-head-grid">
          <span className="cmp-gutter" />
          {slots.map((slot) => (
            <p key={slot.index} className="cmp-question">
              {slot.state === 'found' && (
                <SourceText text={isOpen ? slot.lane.detail.prompt : question(slot.lane)} />
              )}
            </p>
          ))}
        </div>
      )}
    </div>
  );
}
