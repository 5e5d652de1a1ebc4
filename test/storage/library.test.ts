import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BY_RECORD, PLACE_BY_ADDRESS, SIBLINGS } from '../../electron/storage/annotationPlaces.ts';
import { openReader, openWriter } from '../../electron/storage/open.ts';
import {
  ANNOTATED_FACTS,
  ANNOTATIONS_BY_ID,
  ANNOTATIONS_BY_NUMBER,
  ANNOTATIONS_OF_ROLLOUT,
  annotationOrderSql,
  GROUPS_OF_ROLLOUTS,
  PLACED_ANNOTATIONS,
  PLACED_READINGS,
  READINGS_OF_ROLLOUT,
} from '../../electron/storage/queries/annotations.ts';
import { AVAILABLE } from '../../electron/storage/queries/available.ts';
import { GROUP_FIGURES } from '../../electron/storage/queries/columns.ts';
import { CONTINUATIONS } from '../../electron/storage/queries/continuations.ts';
import { GROUPS_BY_ID, ROLLOUTS_BY_ID } from '../../electron/storage/queries/lists.ts';
import { MEASURED, ROLLOUTS_OF } from '../../electron/storage/queries/measured.ts';
import { ADDRESSES, GROUPS_OF_STEP } from '../../electron/storage/queries/places.ts';
import { POOL_OF_STEP } from '../../electron/storage/queries/pool.ts';
import { RUN_BY_KEY, STEPS_OF_RUN } from '../../electron/storage/queries/runs.ts';
import { IDENTITY } from '../../electron/storage/rolloutTexts.ts';
import { prepareUserStatement } from '../../electron/storage/userStatement.ts';
import { PUBLIC_VIEWS } from '../../electron/storage/views.sql.ts';
import { type Scratch, scratch } from '../support/library.ts';

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => place.remove());

describe('the read views', () => {
  /** Columns of the public views: more may be added, none may be removed. */
  const PROMISED = {
    run: 'run_id name kind steps rollouts',
    prompt_group: 'group_id run_id step problem_id rollouts correct kept',
    rollout:
      'rollout_id run_id step group_id problem_id ordinal reward is_correct answer ground_truth turns tool_calls tool_errors ' +
      'stop_reason kept reason p_err p_format penalty advantage policy_tokens response_chars path line',
    turn: 'rollout_id turn segments tool_calls tool_errors policy_tokens',
    segment: 'rollout_id ordinal turn kind text',
    tool_call: 'rollout_id ordinal turn name arguments response outcome latency_ms',
    ingest_issue: 'path line severity code message',
  };

  it.each(Object.entries(PROMISED))('%s has its columns, in order', (view, columns) => {
    openWriter(place.library).close();
    const db = openReader(place.library);
    const names = prepareUserStatement(db, `SELECT * FROM ${view}`).columns;
    expect(names.slice(0, columns.split(' ').length)).toEqual(columns.split(' '));
    db.close();
  });

  it('are all readable', () => {
    openWriter(place.library).close();
    const db = openReader(place.library);
    // The default labels exist from the start.
    for (const view of PUBLIC_VIEWS)
      expect(db.prepare(`SELECT * FROM ${view}`).all()).toHaveLength(view === 'label' ? 11 : 0);
    db.close();
  });
});

it('a connection that reads keeps at most 8 MiB of the file, because many threads have one', () => {
  openWriter(place.library).close();
  const db = openReader(place.library);
  // A number of KiB if negative, else of pages.
  const kibibytes = -Number(db.pragma('cache_size', { simple: true }));
  db.close();
  expect(kibibytes).toBeGreaterThan(0);
  expect(kibibytes).toBeLessThanOrEqual(8 << 10);
});

describe('query plans', () => {
  /** One line per step of the plan. */
  const planOf = (sql: string): string[] => {
    openWriter(place.library).close();
    const db = openReader(place.library);
    const named = Object.fromEntries([...sql.matchAll(/:(\w+)/g)].map(([, name]) => [name, 1]));
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`);
    const rows = (sql.includes('?') ? plan.all('[]') : plan.all(named)) as { detail: string }[];
    db.close();
    return rows.map((row) => row.detail);
  };

  it('tokens are read rollout by rollout, in the order of an index', () => {
    const byId = 'SEARCH t USING INTEGER PRIMARY KEY (rowid=?)';
    expect(planOf(ROLLOUTS_OF.step)).toEqual([
      'SEARCH r USING COVERING INDEX rollout_by_step (run_id=? AND step=?)',
      byId,
    ]);
    expect(planOf(ROLLOUTS_OF.group)).toEqual(['SEARCH r USING INDEX rollout_by_group (group_id=?)', byId]);
    expect(planOf(ROLLOUTS_OF.rollout)).toEqual(['SEARCH r USING INTEGER PRIMARY KEY (rowid=?)', byId]);
    expect(planOf(MEASURED)).toEqual(['SEARCH r USING INTEGER PRIMARY KEY (rowid=?)', byId]);
  });

  it('available signals are counted over index ranges', () => {
    const left = 'SEARCH t USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN';
    expect(planOf(AVAILABLE.run)).toEqual(['SEARCH r USING COVERING INDEX rollout_by_step (run_id=?)', left]);
    expect(planOf(AVAILABLE.step)).toEqual([
      'SEARCH r USING COVERING INDEX rollout_by_step (run_id=? AND step=?)',
      left,
    ]);
    expect(planOf(AVAILABLE.group)).toEqual([
      'SEARCH r USING COVERING INDEX rollout_by_group (group_id=?)',
      left,
    ]);
  });

  it('annotations of a rollout are found by its id, and lists of them by number', () => {
    const place = [
      'SEARCH p USING COVERING INDEX annotated_place_by_rollout (rollout_id=?)',
      'SEARCH a USING COVERING INDEX annotation_by_rollout (annotated_no=?)',
    ];
    expect(planOf(ANNOTATIONS_OF_ROLLOUT.replaceAll('?', ':id'))).toEqual(expect.arrayContaining(place));
    // Conflicts are looked up by an index. What is scanned are the found annotations of the rollout.
    for (const sql of [
      ANNOTATIONS_OF_ROLLOUT.replaceAll('?', ':id'),
      READINGS_OF_ROLLOUT.replaceAll('?', ':id'),
    ])
      expect(planOf(sql).filter((step) => /^SCAN (?!listed|.*VIRTUAL)/.test(step))).toEqual([]);
    for (const sql of [ANNOTATIONS_BY_NUMBER, ANNOTATIONS_BY_ID, ANNOTATED_FACTS, GROUPS_OF_ROLLOUTS])
      expect(planOf(sql).filter((step) => /^SCAN/.test(step))).toEqual(['SCAN ids VIRTUAL TABLE INDEX 1:']);
  });

  it('lists of annotations scan annotations, never rollouts', () => {
    for (const sql of [
      PLACED_ANNOTATIONS,
      PLACED_READINGS,
      annotationOrderSql({ sort: 'place' }),
      annotationOrderSql({ runId: 1, labels: ['x'], author: 'y', states: ['exact'], sort: 'latest' }),
    ]) {
      const steps = planOf(sql);
      expect(steps.filter((step) => /SCAN (?:r|n)\b/.test(step))).toEqual([]);
      expect(steps.filter((step) => /^SCAN (?:a|d|p|COVERING|k)\b/.test(step)).length).toBeLessThanOrEqual(1);
    }
  });

  it('anchors are located by indexes; by the record, in one scan of new rollouts', () => {
    expect(planOf(PLACE_BY_ADDRESS)).toEqual(
      expect.arrayContaining([
        'SEARCH g USING COVERING INDEX group_by_key (run_id=? AND step=? AND group_key=?)',
        'SEARCH r USING INDEX rollout_by_group (group_id=? AND ordinal=?)',
      ]),
    );
    expect(planOf(SIBLINGS).filter((step) => step.startsWith('SCAN'))).toEqual([]);
    expect(planOf(BY_RECORD.replace('?', ':from').replace('?', ':hashes'))[0]).toBe(
      'SEARCH r USING INTEGER PRIMARY KEY (rowid>?)',
    );
    expect(planOf(IDENTITY).filter((step) => step.startsWith('SCAN'))).toEqual([]);
  });

  it('continuations of a rollout are found by an index', () => {
    expect(planOf(CONTINUATIONS.replace('?', ':origin'))[0]).toBe(
      'SEARCH rollout_row USING INDEX rollout_by_origin (origin=?)',
    );
  });

  it('addresses of rollouts are found by their ids', () => {
    expect(planOf(ADDRESSES)).toEqual([
      'SEARCH r USING INTEGER PRIMARY KEY (rowid=?)',
      'LIST SUBQUERY 1',
      'SCAN json_each VIRTUAL TABLE INDEX 1:',
      'SEARCH g USING INTEGER PRIMARY KEY (rowid=?)',
      'SEARCH p USING INTEGER PRIMARY KEY (rowid=?)',
    ]);
  });

  it('the pool of a step comes in batch order from one index range', () => {
    expect(planOf(POOL_OF_STEP.replaceAll('?', ':id'))).toEqual([
      'SEARCH rollout_row USING INDEX rollout_by_step (run_id=? AND step=?)',
    ]);
  });

  it.each([
    ['ids', GROUPS_OF_STEP],
    ['figures', GROUP_FIGURES],
  ])('reads the %s of the groups of a step from one index range', (_, sql) => {
    const [first] = planOf(sql.replaceAll('?', ':id'));
    expect(first).toMatch(
      /^SEARCH (g|group_row) USING (COVERING )?INDEX group_by_key \(run_id=\? AND step=\?\)/,
    );
  });

  it('rows by id look every row up', () => {
    for (const sql of [GROUPS_BY_ID, ROLLOUTS_BY_ID]) {
      for (const step of planOf(sql)) expect(step).not.toMatch(/^SCAN (?!ids)/);
    }
  });

  it('a run and its steps come from their keys', () => {
    expect(planOf(STEPS_OF_RUN)).toEqual(['SEARCH step_row USING PRIMARY KEY (run_id=?)']);
    const plan = planOf(RUN_BY_KEY);
    expect(plan[0]).toMatch(/^SEARCH r USING INDEX sqlite_autoindex_run_row_1 \(run_key=\?\)/);
    expect(plan.filter((step) => / o\b/.test(step))).toEqual([
      'SEARCH o USING COVERING INDEX rollout_by_time (run_id=? AND <expr>>? AND <expr><?)',
      'SEARCH o USING INDEX rollout_by_step (run_id=? AND step=?)',
      'SEARCH o USING INDEX rollout_by_step (run_id=? AND step=?)',
    ]);
  });
});

describe('the statement rule', () => {
  it.each([
    'SELECT 1',
    '  -- a comment\n /* another */ select 1',
    'WITH a AS (SELECT 1) SELECT * FROM a',
    'VALUES (1), (2)',
    'EXPLAIN QUERY PLAN SELECT * FROM rollout',
    'SELECT 1;',
  ])('accepts %j', (sql) => {
    openWriter(place.library).close();
    const db = openReader(place.library);
    expect([...prepareUserStatement(db, sql).rows()].length).toBeGreaterThan(0);
    db.close();
  });

  it.each([
    ["ATTACH '/tmp/x' AS x", /begins with ATTACH/],
    ["VACUUM INTO '/tmp/x'", /begins with VACUUM/],
    ['PRAGMA journal_mode = DELETE', /begins with PRAGMA/],
    ['DELETE FROM run_row', /begins with DELETE/],
    ['WITH a AS (SELECT 1) DELETE FROM run_row', /read/],
    ['SELECT 1; DELETE FROM run_row', /more than one statement/],
    ['', /no statement/],
    ['-- only a comment', /no statement/],
    ["SELECT load_extension('x')", /not authorized|no such function/],
    ['SELECT * FROM nowhere', /no such table/],
  ])('refuses %j', (sql, message) => {
    openWriter(place.library).close();
    const db = openReader(place.library);
    expect(() => [...prepareUserStatement(db, sql).rows()]).toThrow(message);
    db.close();
  });
});
