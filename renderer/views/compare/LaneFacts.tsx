/** What is known of each lane: a line per fact, a column per lane. */
import { useInterface } from '../../state/interface.ts';
import { SourceText } from '../../ui/SourceText.tsx';
import type { FactLine } from './factsModel.ts';
import type { Lane, LaneSlot } from './laneModel.ts';

interface LaneFactsProps {
  readonly slots: readonly LaneSlot[];
  readonly lanes: readonly Lane[];
  readonly base: Lane | undefined;
  readonly facts: readonly FactLine[];
}

export function LaneFacts({ slots, lanes, base, facts }: LaneFactsProps) {
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
                  title={[`${fact.label}, ${value.hint}`, difference, value.text]
                    .filter((part) => part !== '')
                    .join('\n')}
                >
                  {value.isDifferent && <i aria-hidden="true">≠</i>}
                  <SourceText text={value.text} />
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Undefined where there is nothing more to show. */
export function FactsToggle({ facts }: { readonly facts: readonly FactLine[] }) {
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
