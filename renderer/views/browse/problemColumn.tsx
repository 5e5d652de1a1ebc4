import type { GroupRow } from '../../../shared/api/contract.ts';
import type { RolloutColumn } from './rolloutColumns.tsx';

/** Which problem a rollout attempts: its text where the group is known, else its id. */
export function problemColumn(groups: ReadonlyMap<number, GroupRow>): RolloutColumn {
  return {
    id: 'problemId',
    label: 'problem',
    value: (row) => row.problemId,
    filterField: 'problem_id',
    minWidth: 150,
    grow: 4,
    cell: (row) => {
      const preview = groups.get(row.groupId)?.promptPreview;
      return preview === undefined || preview === '' ? (
        <span className="mono">{row.problemId}</span>
      ) : (
        <span title={`${row.problemId}: ${preview}`}>{preview}</span>
      );
    },
  };
}
