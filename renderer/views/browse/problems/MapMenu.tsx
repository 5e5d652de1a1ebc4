import { useClient } from '../../../data/DataProvider.tsx';
import { ChartMenu, chartFileName } from '../overview/ChartMenu.tsx';
import { mapCsv, mapPng } from './mapFile.ts';
import { type MapRow, type ProblemSort, SORT_LABELS } from './mapModel.ts';

interface MapMenuProps {
  readonly runName: string;
  readonly filter: string;
  /** In the order of the page. */
  readonly rows: readonly MapRow[];
  readonly steps: readonly number[];
  readonly hasSteps: boolean;
  readonly sort: ProblemSort;
}

/** As many as the host gives at a time. */
const CHUNK = 500;

/** The map as PNG and CSV. */
export function MapMenu({ runName, filter, rows, steps, hasSteps, sort }: MapMenuProps) {
  const client = useClient();
  const of = [
    runName,
    ...(filter === '' ? [] : [`rollouts that match ${filter}`]),
    `order: ${SORT_LABELS[sort].label}`,
  ].join(' · ');
  const csv = async (): Promise<string> => {
    const ids = rows.flatMap(({ cells }) => cells.map(({ groupId }) => groupId));
    const keys = new Map<number, string>();
    for (let from = 0; from < ids.length; from += CHUNK) {
      const groups = await client.request('group.rows', { groupIds: ids.slice(from, from + CHUNK) });
      for (const { groupId, groupKey } of groups) keys.set(groupId, groupKey);
    }
    return mapCsv(of, rows, hasSteps ? steps : undefined, (groupId) => keys.get(groupId));
  };
  return (
    <ChartMenu
      title="Problems"
      fileName={chartFileName(runName, 'problems')}
      png={() => mapPng(of, rows, steps)}
      csv={csv}
      provenance="recomputed"
    />
  );
}
