/** What stands for a rollout, and what a what-if would make of it. */
import { KeptMark } from '../../../ui/Marks.tsx';
import { percent } from '../../../ui/numbers.ts';
import { reasonText } from '../../../ui/reasons.ts';
import type { Source } from '../roc/rocWords.ts';
import { column, type LedgerColumn } from './column.ts';
import { copiedDecision, decisionRank, decisionWords, type LedgerEntry } from './ledgerModel.ts';

/** @param minWidth beside a what-if there is less room for words, and the mark says the most */
export function decisionColumn(source: Source, minWidth: number): LedgerColumn {
  return column({
    id: 'decision',
    label: 'decision',
    hint:
      source === 'unknown'
        ? 'No decision is logged and no configuration to recompute it from'
        : `${source === 'logged' ? 'As logged' : 'Recomputed'}: kept (filled) or discarded (dashed), and why`,
    minWidth,
    grow: 1.4,
    sorts: 'ascending',
    measure: ({ standing }) => decisionRank(standing),
    value: ({ standing }) => copiedDecision(standing),
    copiedWith: {
      name: 'decision from',
      value: ({ standing }) => (copiedDecision(standing) && source) || undefined,
    },
    cell: (entry) => <DecisionCell entry={entry} source={source} />,
  });
}

function DecisionCell({ entry, source }: { readonly entry: LedgerEntry; readonly source: Source }) {
  const { standing, row } = entry;
  const said = decisionWords(standing);
  const rule = source === 'logged' ? row.logged?.rule : undefined;
  const code = standing.reason === undefined ? '' : ` as ${standing.reason}`;
  const other = decisionWords(row.recomputed);
  const title = [
    said === '' ? '' : `${source}: ${said}${code}${rule === undefined ? '' : ` (${rule})`}`,
    entry.differs ? `recomputed: ${other} (${row.recomputed.reason ?? 'no reason'})` : '',
  ];
  return (
    <span className="decision" title={title.filter(Boolean).join('\n')}>
      <KeptMark isKept={standing.kept} />
      <span>
        {standing.inclusion !== undefined && standing.kept === undefined
          ? `${percent(standing.inclusion)} %`
          : standing.reason === undefined && rule?.startsWith('listed in ')
            ? standing.kept
              ? 'listed'
              : 'not listed'
            : reasonText(standing.reason)}
      </span>
      {entry.differs && (
        <span className="differs">
          ≠ <KeptMark isKept={row.recomputed.kept} />
        </span>
      )}
    </span>
  );
}

export function whatIfColumn(): LedgerColumn {
  return column({
    id: 'whatIf',
    label: 'what if',
    hint: 'Under the settings of the panel; ▲ and ▽ where it is not what stands',
    minWidth: 104,
    grow: 1.2,
    sorts: 'ascending',
    measure: (entry) => {
      const after = entry.row.whatIf;
      return after === undefined ? undefined : `${entry.isFlip ? 0 : 1} ${decisionRank(after) ?? '3'}`;
    },
    value: ({ row: { whatIf } }) =>
      whatIf === undefined ? undefined : whatIf.isOutside ? 'not in the pool' : copiedDecision(whatIf),
    cell: ({ row, isFlip }) => {
      const { whatIf } = row;
      if (whatIf === undefined) return null;
      if (whatIf.isOutside) return <span className="dim">not in the pool</span>;
      const title = `what if: ${decisionWords(whatIf)}${whatIf.reason === undefined ? '' : ` as ${whatIf.reason}`}`;
      return (
        <span className={isFlip ? 'decision is-flip' : 'decision'} title={title}>
          <KeptMark isKept={whatIf.kept} />
          <span>
            {isFlip && <b>{whatIf.kept ? '▲ ' : '▽ '}</b>}
            {whatIf.inclusion !== undefined && whatIf.kept === undefined
              ? `${percent(whatIf.inclusion)} %${whatIf.inclusionError === undefined ? '' : ` ± ${percent(whatIf.inclusionError)}`}`
              : reasonText(whatIf.reason)}
          </span>
        </span>
      );
    },
  });
}
