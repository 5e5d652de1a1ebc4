/**
 * Returns all data that a page needs first in one response. Each part equals the result of its own
 * method.
 */
import {
  FIRST_ALTERNATIVES,
  FIRST_OCCURRENCES,
  FIRST_ROWS,
  type OpenedPage,
  type PageAnswer,
  type ParsedParams,
} from '../../shared/api/contract.ts';
import { found } from '../../shared/api/errors.ts';
import { getLedger } from '../roc/ledger.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import { annotationsOfRollout } from '../storage/queries/annotations.ts';
import { storedContinuations } from '../storage/queries/continuations.ts';
import { groupRows, rolloutRows } from '../storage/queries/lists.ts';
import { groupIds, problemPlaces, resolveAddress, siblingIds } from '../storage/queries/places.ts';
import { getRollout } from '../storage/queries/rollout.ts';
import { getAlternatives, getSignal } from '../storage/queries/tokens.ts';

type Params = ParsedParams<'page.open'>;

/** @throws ApiError that names the first part of the address that does not exist */
export function openPage(db: ReadableLibrary, params: Params): OpenedPage {
  const place = resolveAddress(db, params);
  const { runId, groupId, rolloutId } = place;
  const { show } = params;
  if (show === 'group' && groupId !== undefined)
    return { ...place, answers: ofGroup(db, { ...params, runId, groupId }) };
  if (rolloutId === undefined || groupId === undefined) return { ...place, answers: [] };
  if (show === 'replay') return { ...place, answers: ofReplay(db, { ...params, runId, groupId, rolloutId }) };
  return { ...place, answers: show === 'rollout' ? [ofRollout(db, rolloutId)] : [] };
}

function ofRollout(db: ReadableLibrary, rolloutId: number) {
  const value = found(getRollout(db, rolloutId), `rollout ${rolloutId}`);
  return { method: 'rollout.get', params: { rolloutId }, value } as const;
}

function ofReplay(
  db: ReadableLibrary,
  {
    runId,
    step,
    groupId,
    rolloutId,
    signal,
  }: Params & { readonly runId: number; readonly groupId: number; readonly rolloutId: number },
): readonly PageAnswer[] {
  const rollout = ofRollout(db, rolloutId);
  const answers: PageAnswer[] = [
    rollout,
    {
      method: 'annotation.list',
      params: { rolloutId },
      value: annotationsOfRollout(db, rolloutId),
    },
    {
      method: 'sampling.stored',
      params: { rolloutIds: [rolloutId] },
      value: storedContinuations(db, [rolloutId]),
    },
    {
      method: 'rollout.order',
      params: { runId, step, groupId, sort: [{ by: 'ordinal' }] },
      value: { runId, ids: siblingIds(db, groupId) },
    },
  ];
  if (rollout.value.tokens === undefined || signal === undefined) return answers;
  const value = getSignal(db, rolloutId, signal.signal, signal.vocabulary);
  if (value !== undefined)
    answers.push({ method: 'rollout.signal', params: { rolloutId, ...signal }, value });
  const first = { from: 0, limit: FIRST_ALTERNATIVES };
  const alternatives = getAlternatives(db, rolloutId, first.from, first.limit);
  if (alternatives !== undefined)
    answers.push({
      method: 'rollout.alternatives',
      params: { rolloutId, ...first },
      value: alternatives,
    });
  return answers;
}

function ofGroup(
  db: ReadableLibrary,
  {
    runId,
    step,
    groupId,
    roc,
    largestLedger = Number.POSITIVE_INFINITY,
  }: Params & { readonly runId: number; readonly groupId: number },
): readonly PageAnswer[] {
  const rows = groupRows(db, [groupId]);
  const answers: PageAnswer[] = [
    { method: 'group.rows', params: { groupIds: [groupId] }, value: rows },
    {
      method: 'problem.occurrences',
      params: { groupId, limit: FIRST_OCCURRENCES },
      value: problemPlaces(db, { groupId, limit: FIRST_OCCURRENCES }),
    },
    {
      method: 'group.order',
      params: { runId, step },
      value: { runId, ids: groupIds(db, runId, step) },
    },
  ];
  const [group] = rows;
  if (group === undefined || group.rollouts > largestLedger || roc === undefined) return answers;
  const params = {
    groupId,
    basis: roc.basis ?? {},
    ...(roc.whatIf === undefined ? {} : { whatIf: roc.whatIf }),
  };
  const ledger = found(getLedger(db, params), `group ${groupId}`);
  answers.push({ method: 'roc.group', params, value: ledger });
  const rolloutIds = ledger.rows.slice(0, FIRST_ROWS).map((row) => row.rolloutId);
  answers.push({ method: 'rollout.rows', params: { rolloutIds }, value: rolloutRows(db, rolloutIds) });
  return answers;
}
