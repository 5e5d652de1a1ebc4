import type { RolloutRow } from '../../../shared/api/contract.ts';
import { type Place, pathOfPlace } from '../../data/place.ts';
import { useRequest } from '../../data/useRequest.ts';
import { type IndexRange, useRolloutWindow } from '../../data/useRowWindow.ts';
import { Link } from '../../ui/Link.tsx';
import { count } from '../../ui/numbers.ts';
import { stripOrder } from './stripModel.ts';

interface SiblingStripProps {
  readonly place: Extract<Place, { view: 'group' }>;
  readonly runId: number;
  readonly groupId: number;
}

/** Siblings beyond this many are in the table only; bars would be narrower than their outline. */
const MAX_BARS = 128;
const WINDOW: IndexRange = { first: 0, end: MAX_BARS };

const COLORS = { right: 'var(--right)', wrong: 'var(--wrong)', unknown: 'var(--ink3)' } as const;

export function SiblingStrip({ place, runId, groupId }: SiblingStripProps) {
  const ids = useRequest('rollout.order', { runId, step: place.step, groupId, sort: 'ordinal' }).data?.ids;
  const window = useRolloutWindow(ids, WINDOW);
  const rows: RolloutRow[] = [];
  for (let i = 0; i < Math.min(ids?.length ?? 0, MAX_BARS); i += 1) {
    const row = window.rowAt(i);
    if (row !== undefined) rows.push(row);
  }
  const strip = stripOrder(rows);
  return (
    <div className="strip-scroll">
      <div className="strip">
        {strip.bars.map((bar) => (
          <Link
            key={bar.row.rolloutId}
            href={pathOfPlace({ ...place, view: 'rollout', ordinal: bar.row.ordinal })}
            className={bar.row.kept === undefined ? 'is-undecided' : bar.row.kept ? '' : 'is-discarded'}
            style={{ height: `${14 + 56 * bar.height}px`, ['--c' as string]: COLORS[bar.outcome] }}
            title={`#${bar.row.ordinal} · ${bar.outcome}${bar.row.kept === undefined ? '' : bar.row.kept ? ' · kept' : ' · discarded'} · ${count(bar.row.responseChars)} characters`}
            aria-label={`Rollout ${bar.row.ordinal}, ${bar.outcome}`}
          />
        ))}
      </div>
      <p className="strip-legend">
        height = {strip.heightMeans}
        {rows.some((row) => row.kept !== undefined) && ' · filled = kept, dashed = discarded'} ·{' '}
        <span className="is-right">■ right</span> <span className="is-wrong">■ wrong</span>
        {strip.bars.some((bar) => bar.outcome === 'unknown') && ' ■ correctness unknown'}
      </p>
    </div>
  );
}
