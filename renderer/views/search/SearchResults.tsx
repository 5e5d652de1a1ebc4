/** Search results by group, with a row for each hit. */

import { useMemo } from 'react';
import type { RunSummary, SearchHit } from '../../../shared/api/contract.ts';
import {
  isHashedId,
  isNamedByQuestion,
  plainQuestion,
  problemName,
} from '../../../shared/domain/question.ts';
import { pathOfRoute, type RolloutRoute } from '../../data/route.ts';
import { foundPath } from '../../data/searchLink.ts';
import { navigateTo } from '../../data/useRoute.ts';
import { useCompareCommand, useCompareMark } from '../../shell/compareSet.ts';
import { listPosition, rememberListPosition } from '../../state/routeMemory.ts';
import { plainLogText } from '../../ui/LogText.tsx';
import { RightMark } from '../../ui/Marks.tsx';
import { counted, reward } from '../../ui/numbers.ts';
import { type Column, VirtualTable } from '../../ui/VirtualTable.tsx';
import { useTableCommands } from '../../widgets/tables/useTableCommands.ts';
import { onOneLine, PLACE_LABELS, type Rest, type SearchRow } from './searchModel.ts';

interface SearchResultsProps {
  readonly rows: readonly SearchRow[];
  readonly runs: readonly RunSummary[];
  readonly query: string;
  /** Key under which the list's position is saved. */
  readonly list: string;
  readonly onNearEnd: () => void;
}

/** UTF-16 units of a title. The row cuts it where its space ends. */
const LONGEST_TITLE = 300;

/** Loads more when this many rows are left. */
const NEAR = 40;

export function SearchResults({ rows, runs, query, list, onNearEnd }: SearchResultsProps) {
  const table = useTableCommands();
  const byId = useMemo(() => new Map(runs.map((run) => [run.runId, run])), [runs]);
  const columns = useMemo(() => columnsFor(byId), [byId]);
  const compareMark = useCompareMark();
  const hrefOf = (row: SearchRow): string => hrefTo(row, byId.get(row.group.runId)?.runKey ?? '', query);
  useCompareCommand(() => table.current?.cursorHref()?.split('?')[0]);
  return (
    <div className="search-results">
      <VirtualTable
        key={list}
        handle={table}
        label={`Found: ${query}`}
        columns={columns}
        count={rows.length}
        rowAt={(index) => rows[index]}
        markOf={(row) =>
          row.kind === 'rollout' && row.isFirst ? compareMark(hrefOf(row).split('?')[0]) : undefined
        }
        onOpen={(row) => navigateTo(hrefOf(row))}
        hrefOf={hrefOf}
        onWindow={({ end }) => {
          if (end >= rows.length - NEAR) onNearEnd();
        }}
        position={listPosition(list)}
        onPosition={(position) => rememberListPosition(list, position)}
      />
    </div>
  );
}

function hrefTo({ group, ...row }: SearchRow, runKey: string, query: string): string {
  const { step, groupKey } = group;
  if (row.kind === 'group') return pathOfRoute({ view: 'group', runKey, step, groupKey });
  const rollout = row.kind === 'rollout' ? row.rollout : group.found[0];
  const route: RolloutRoute = { view: 'rollout', runKey, step, groupKey, ordinal: rollout?.ordinal ?? 0 };
  const { hit } = row;
  return foundPath(route, { query, ...(hit === undefined ? {} : { turn: hit.turn, at: hit }) });
}

function columnsFor(runs: ReadonlyMap<number, RunSummary>): readonly Column<SearchRow>[] {
  return [
    {
      id: 'rollout',
      label: 'rollout',
      minWidth: 92,
      grow: 0,
      cell: (row) => {
        if (row.kind === 'group')
          return (
            <b className="search-group">
              {runs.get(row.group.runId)?.hasSteps === false ? '' : `step ${row.group.step}`}
            </b>
          );
        if (row.kind === 'prompt' || !row.isFirst) return null;
        const { ordinal, isCorrect, reward: rewarded } = row.rollout;
        return (
          <span
            className="search-rollout"
            title={rewarded === undefined ? undefined : `reward ${reward(rewarded)}`}
          >
            #{ordinal} <RightMark isCorrect={isCorrect} source={runs.get(row.group.runId)?.correctSource} />
          </span>
        );
      },
    },
    {
      id: 'where',
      label: 'where',
      minWidth: 168,
      grow: 0,
      cell: (row) =>
        row.kind === 'group' ? <GroupShare row={row} run={runs.get(row.group.runId)} /> : <Where row={row} />,
    },
    {
      id: 'text',
      label: 'text',
      minWidth: 320,
      grow: 1,
      cell: (row) =>
        row.kind === 'group' ? <GroupName row={row} run={runs.get(row.group.runId)} /> : <Found row={row} />,
    },
  ];
}

type GroupRow = Extract<SearchRow, { kind: 'group' }>;
type HitRow = Exclude<SearchRow, { kind: 'group' }>;

function GroupName({ row, run }: { readonly row: GroupRow; readonly run: RunSummary | undefined }) {
  const { problemId, groupKey, preview } = row.group;
  const problem = { problemId, question: preview };
  const isQuestion = isNamedByQuestion(problem);
  return (
    <span className={isQuestion ? 'search-group is-title is-question' : 'search-group is-title'}>
      <b title={plainLogText(isQuestion ? `${preview}\n${problemId}` : problemId)}>
        {problemName(problem, LONGEST_TITLE)}
      </b>
      {groupKey !== problemId && !isHashedId(groupKey) && (
        <span className="dim"> · group {plainLogText(groupKey)}</span>
      )}
      <span className="dim"> · {plainLogText(run?.name ?? '')}</span>
      {!isQuestion && (
        <>
          <span className="dim"> · </span>
          <span title={plainLogText(preview)}>{plainQuestion(preview)}</span>
        </>
      )}
    </span>
  );
}

function GroupShare({
  row: { group, found },
  run,
}: {
  readonly row: GroupRow;
  readonly run: RunSummary | undefined;
}) {
  const { rollouts, correct, correctKnown } = group;
  const isDerived = run?.correctSource === 'derived';
  return (
    <span className="dim" title={`Found in ${found} of ${counted(rollouts, 'rollout')} of the group so far`}>
      {correctKnown > 0 && `${correct} of ${correctKnown} correct${isDerived ? ' (derived)' : ''}`}
    </span>
  );
}

function Where({ row }: { readonly row: HitRow }) {
  if (row.kind === 'prompt') return <span className="dim">prompt</span>;
  if (row.hit === undefined) return null;
  return (
    <span className="dim">
      turn {row.hit.turn} · {PLACE_LABELS[row.hit.kind]}
    </span>
  );
}

function Found({ row }: { readonly row: HitRow }) {
  if (row.hit === undefined)
    return (
      <span className="dim">
        {row.kind === 'rollout' && row.group.prompt.total > 0 ? 'in the prompt' : 'matches'}
      </span>
    );
  return (
    <span className="search-found">
      <Snippet hit={row.hit} />
      {row.rest !== undefined && <RestOf rest={row.rest} />}
    </span>
  );
}

function RestOf({ rest: { count, isAtLeast } }: { readonly rest: Rest }) {
  return (
    <span className="search-rest" title="More hits here: open it, n goes to the next">
      +{isAtLeast ? `${count} or more` : count}
    </span>
  );
}

/** Characters before a hit, so that the hit itself is visible. */
const BEFORE = 48;

/** A hit with its context on one line. Omitted text is marked by an ellipsis. */
function Snippet({ hit }: { readonly hit: SearchHit }) {
  const isShortened = hit.before.length > BEFORE;
  const before = isShortened ? hit.before.slice(-BEFORE) : hit.before;
  return (
    <span className="search-snippet">
      {(isShortened || hit.isCut.before) && <span className="dim">…</span>}
      {plainLogText(onOneLine(before.replace(/^[\udc00-\udfff]/, '')))}
      <mark>
        {plainLogText(onOneLine(hit.text))}
        {hit.isCut.text && '…'}
      </mark>
      {plainLogText(onOneLine(hit.after))}
      {hit.isCut.after && <span className="dim">…</span>}
    </span>
  );
}
