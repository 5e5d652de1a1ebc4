import { existsSync } from 'node:fs';
import type {
  ActionFork,
  ActionSide,
  ComparedBlock,
  ComparedRow,
  Comparison,
  Fork,
  ForkSide,
  ResultOf,
} from '../../shared/api/contract.ts';
import { unpackComparison } from '../../shared/api/packedRows.ts';
import { callName } from '../../shared/domain/actions.ts';
import { MAX_LANES } from '../../shared/domain/alignLanes.ts';
import { terminalJson, terminalLines } from '../../shared/domain/terminalText.ts';
import { createHost } from '../host/createHost.ts';
import { defaultLibraryPath } from '../host/libraryPath.ts';
import { type Command, ExpectedError, readArguments, resolvePath, UsageError } from './command.ts';

const help = `usage: turnwise compare ROLLOUT_ID ROLLOUT_ID [ROLLOUT_ID …] [--library FILE] [--baseline N] [--json]

Aligns two to ${MAX_LANES} rollouts: shows matching turns and segments, and the fork point of each from the baseline.

  --library FILE   library file; default: the user's library
  --baseline N     position of the baseline rollout, from 1 (default 1)
  --json           {rollout_ids, baseline, rows: [{turns, equal, blocks: [{segments, relations, edits}]}], lanes:
                   [{prefix, cost, fork, actionFork}]}; segments are indices as in the view "segment", edits runs of five numbers:
                   kind (0 equal, 1 removed, 2 added), start and end in the baseline, start and end in the lane

Output: a line per turn, a column per rollout; = equal to the baseline, ~ similar, + added, . missing.
Exit codes: 0 done, 1 no such rollout, 2 usage.`;

export const compareCommand: Command = {
  name: 'compare',
  summary: 'align two to four rollouts and show where they fork',
  help,
  async run(argv, context) {
    const args = readArguments('compare', argv, {
      library: { type: 'string' },
      baseline: { type: 'string' },
      json: { type: 'boolean' },
    });
    const raw = args.positionals;
    if (raw.length < 2 || raw.length > MAX_LANES || raw.some((one) => !/^\d+$/.test(one)))
      throw new UsageError(`compare: give two to ${MAX_LANES} ROLLOUT_IDs, numbers`, help);
    const baseline = args.string('baseline') ?? '1';
    if (!/^[1-9]$/.test(baseline) || Number(baseline) > raw.length)
      throw new UsageError(`compare: --baseline must be a number from 1 to ${raw.length}`);
    const path = args.string('library');
    const libraryPath = path === undefined ? defaultLibraryPath() : resolvePath(path);
    if (!existsSync(libraryPath)) throw new ExpectedError(`there is no library at ${libraryPath}`);
    const rolloutIds = raw.map(Number);
    const host = await createHost({ libraryPath, shell: 'browser', version: context.version });
    try {
      const params = { rolloutIds, baseline: Number(baseline) - 1 };
      const found = await host.dispatch('compare.align', { rollouts: rolloutIds, baseline: params.baseline });
      if (!found.ok) throw new ExpectedError(found.failure.message);
      const comparison = unpackComparison(found.value as ResultOf<'compare.align'>);
      process.stdout.write(
        args.flag('json') ? jsonOf(params, comparison) : comparisonTable(params, comparison),
      );
      return 0;
    } finally {
      await host.close();
    }
  },
};

interface CompareRequest {
  readonly rolloutIds: readonly number[];
  readonly baseline: number;
}

function jsonOf({ rolloutIds, baseline }: CompareRequest, { rows, lanes }: Comparison): string {
  const json = {
    rollout_ids: rolloutIds,
    baseline,
    rows: rows.map(({ turns, isEqual, blocks }) => ({
      turns,
      equal: isEqual,
      blocks: blocks.map((block) => ({ ...block, edits: block.edits.map((edits) => edits && [...edits]) })),
    })),
    lanes,
  };
  return `${terminalJson(json)}\n`;
}

const SIGNS = { equal: '=', similar: '~', only: '+' } as const;

function comparisonTable({ rolloutIds, baseline }: CompareRequest, { rows, lanes }: Comparison): string {
  const cells = rows.map((row) => rolloutIds.map((_, lane) => cellOf(row, lane)));
  const head = rolloutIds.map((id, lane) => `${id}${lane === baseline ? ' (baseline)' : ''}`);
  const widths = head.map((text, lane) =>
    Math.max(text.length, ...cells.map((row) => row[lane]?.length ?? 0)),
  );
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, lane) => text.padEnd(widths[lane] ?? 0))
      .join('  ')
      .trimEnd();
  const forks = lanes.flatMap((lane, i) => {
    if (lane === null) return [];
    const id = rolloutIds[i];
    return [
      lane.fork === undefined ? `${id}: the responses are equal` : forkLine(id, lane.prefix.chars, lane.fork),
      ...(lane.fork === undefined || lane.actionFork === undefined ? [] : [actionLine(id, lane.actionFork)]),
    ];
  });
  return terminalLines([line(head), ...cells.map(line), '', ...forks]);
}

function cellOf({ turns, blocks }: ComparedRow, lane: number): string {
  const turn = turns[lane];
  return turn === null || turn === undefined
    ? '.'
    : `${turn} ${blocks.map((block) => signOf(block, lane)).join('')}`;
}

function signOf({ relations }: ComparedBlock, lane: number): string {
  const relation = relations[lane];
  return relation === null || relation === undefined ? '.' : SIGNS[relation];
}

function forkLine(id: number | undefined, chars: number, { baseline, lane }: Fork): string {
  return `${id}: ${chars} characters in common, then ${sideOf(baseline)} in the baseline and ${sideOf(lane)} here`;
}

function actionLine(id: number | undefined, { shared, baseline, lane }: ActionFork): string {
  const same = `${id}: ${shared} ${shared === 1 ? 'action' : 'actions'} the same`;
  if (baseline === undefined && lane === undefined) return `${same}, and no other`;
  return `${same}, then ${actionOf(baseline)} in the baseline and ${actionOf(lane)} here`;
}

/** Characters of an action on its line. */
const ACTION_CHARS = 80;

function actionOf(side: ActionSide | undefined): string {
  if (side === undefined) return 'none';
  const name = side.kind === 'answer' ? 'the answer' : callName(side);
  return `${name} ${JSON.stringify(side.text.slice(0, ACTION_CHARS).toWellFormed())}, turn ${side.turn},`;
}

function sideOf({ text, value, source, signal }: ForkSide): string {
  if (text === undefined) return 'its end';
  const kind = source?.kind === 'top-k' ? `${signal} \u2265` : signal;
  return `${JSON.stringify(text)}${value === undefined ? '' : ` (${kind} ${value.toFixed(3)} nats)`}`;
}
