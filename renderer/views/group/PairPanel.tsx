import { Columns2, X } from 'lucide-react';
import { comparePath } from '../../data/compareLink.ts';
import { pathOfRoute, type Route } from '../../data/route.ts';
import { useInterface } from '../../state/interface.ts';
import { Button, IconButton } from '../../ui/Controls.tsx';
import { Hint } from '../../ui/Hint.tsx';
import { Link } from '../../ui/Link.tsx';
import type { Source } from '../../widgets/roc/rocLabels.ts';
import { type LedgerEntry, pairFacts, pairToCompare } from './ledgerModel.ts';

interface PairPanelProps {
  readonly route: Extract<Route, { view: 'group' }>;
  readonly groupId: number;
  readonly entries: readonly LedgerEntry[];
  /** Undefined: Resample-on-Correct is not shown. */
  readonly source: Source | undefined;
}

const NO_PAIR: readonly number[] = [];

interface CompareButtonProps {
  readonly route: Extract<Route, { view: 'group' }>;
  readonly groupId: number;
  readonly entries: readonly LedgerEntry[];
}

/** Compares two rollouts of the group. Where it cannot, its tooltip and a notice say why. */
export function CompareButton({ route, groupId, entries }: CompareButtonProps) {
  const selected = useInterface((state) => state.comparedOf[groupId]) ?? NO_PAIR;
  const choice = pairToCompare(entries, selected);
  const inside = (
    <>
      <Columns2 size={14} aria-hidden="true" /> Compare
    </>
  );
  if ('whyNot' in choice)
    return (
      <Hint side="top" text={choice.whyNot}>
        <Button aria-disabled onClick={() => useInterface.getState().setNotice(choice.whyNot)}>
          {inside}
        </Button>
      </Hint>
    );
  const paths = choice.pair.map(({ row }) =>
    pathOfRoute({ ...route, view: 'rollout', ordinal: row.ordinal }),
  );
  return (
    <Link className="button" href={comparePath(paths)} title={choice.what}>
      {inside}
    </Link>
  );
}

/** The two rows selected with Space, side by side. Below the list, so that no row moves when it opens. */
export function PairPanel({ route, groupId, entries, source }: PairPanelProps) {
  const pair = useInterface((state) => state.comparedOf[groupId]) ?? NO_PAIR;
  const clear = useInterface((state) => state.clearCompared);
  const [a, b] = pair.map((id) => entries.find(({ row }) => row.rolloutId === id));
  if (a === undefined || b === undefined) return null;
  const side = (letter: string, { row }: LedgerEntry) => (
    <th scope="row">
      <b className="pair-mark">{letter}</b>{' '}
      <Link className="is-link mono" href={pathOfRoute({ ...route, view: 'rollout', ordinal: row.ordinal })}>
        #{row.ordinal}
      </Link>
    </th>
  );
  const facts = pairFacts(a, b, source);
  return (
    <section className="pair" aria-label="Two rollouts side by side">
      <table>
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">rollout</span>
            </th>
            {facts.map((fact) => (
              <th key={fact.label} scope="col" className={fact.differs ? 'is-different' : undefined}>
                {fact.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[a, b].map((entry, i) => (
            <tr key={entry.row.rolloutId}>
              {side(i === 0 ? 'A' : 'B', entry)}
              {facts.map((fact) => (
                <td
                  key={fact.label}
                  className={fact.differs ? 'is-different' : undefined}
                  title={fact.values[i]}
                >
                  {fact.values[i]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <Link
        className="is-link pair-compare"
        href={comparePath(
          [a, b].map(({ row }) => pathOfRoute({ ...route, view: 'rollout', ordinal: row.ordinal })),
        )}
        title="Turn by turn, side by side"
      >
        Compare
      </Link>
      <IconButton label="Close the pair" onClick={() => clear(groupId)}>
        <X size={14} />
      </IconButton>
    </section>
  );
}
