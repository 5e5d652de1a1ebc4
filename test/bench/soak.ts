/**
 * `npm run soak`: the long versions of tests that guard data, and long use. Seeded; ends with a line per part.
 *
 *   npm run soak                     all, with an hour of use
 *   npm run soak -- longUse 1        one part: segments, fuzz, kills, pushes, recorder, views, warehouse, longUse with its minutes
 *
 *   - 100,000 hostile transcripts: segments tile the text
 *   - 25 ingests killed at random moments, resumed: the library equals an undisturbed one
 *   - ingests of every container, killed at 400 steps, resumed: likewise
 *   - labelling, indexing, moving, exporting and compacting killed at 200 points: nothing lost, and they can be repeated
 *   - two pushes of the same logs to a warehouse, killed 20 times: it equals an undisturbed one, and a library of them
 *   - 20,000 broken records of every format, 3,000 files of them, 5,000 broken containers: read or refused
 *   - the recorder on every trainer: a hundred pools each, every fault, and a hundred pools decided again
 *   - hostile records and files in every view and pack, in a real browser
 *   - the specs of lists, ledgers, replays, comparisons, search and SQL with a warehouse in place of a library
 *   - an hour of scripted use in a real browser: page and host use no more resources than after the warm-up
 */
import { strict as assert } from 'node:assert';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Random } from '../../fixtures/generate/random.ts';
import { writeVerlDump } from '../../fixtures/generate/verlDump.ts';
import { segmentResponse } from '../../shared/domain/segment.ts';
import { FORMATS } from '../../shared/format/index.ts';
import { CLI } from '../support/commandLine.ts';
import { fuzzBytes, fuzzRecords } from '../support/fuzz.ts';
import { fuzzContainers, fuzzFiles } from '../support/fuzzIngest.ts';
import { readCorpus } from '../support/fuzzRecords.ts';
import { killJobs } from '../support/killedJobs.ts';
import { killIngests } from '../support/kills.ts';
import { contents, ingestHere, scratch } from '../support/library.ts';
import {
  checkDecisions,
  checkFault,
  checkPools,
  FAULTS,
  python,
  VARIANTS,
  withNumpy,
} from '../support/recorded.ts';
import { killPushes } from '../warehouse/killedPushes.ts';
import { soakViews } from './hostileViews.ts';
import { soakLongUse } from './longUse.ts';

const PIECES = [
  ...[
    '<tool_call>',
    '</tool_call>',
    '<tool_response>',
    '</tool_response>',
    '<reason>',
    '</reason>',
    '<think>',
    '<answer>',
  ],
  ...[
    '</answer>',
    'user\n',
    'assistant\n',
    '\n',
    ' ',
    'so',
    '{',
    '"',
    '{"name": "p", "arguments": {}}',
    '<|im_start|>user\n',
  ],
  ...['<|im_start|>assistant\n', '<|im_end|>', '🧮', '#### 3', '\\boxed{', '}'],
];

function soakSegments(random: Random): void {
  for (let run = 0; run < 100_000; run++) {
    const text = Array.from({ length: random.int(0, 80) }, () => random.pick(PIECES)).join('');
    let position = 0;
    for (const { outer, inner } of segmentResponse(text, { startsInReasoning: random.chance(0.5) })
      .segments) {
      assert.equal(outer.start, position, JSON.stringify(text));
      assert.ok(inner.start >= outer.start && inner.end <= outer.end, JSON.stringify(text));
      position = outer.end;
    }
    assert.equal(position, text.length, JSON.stringify(text));
  }
  console.log('soak: 100,000 hostile transcripts tile');
}

async function soakKills(random: Random): Promise<void> {
  const place = scratch();
  try {
    const logs = join(place.directory, 'logs');
    writeVerlDump(logs, 48 << 20, { seed: 3, rolloutsPerStep: 900 });
    await ingestHere(place.library, [logs]);
    const expected = contents(place.library);
    for (let round = 0; round < 25; round++) {
      const library = join(place.directory, `killed-${round}.sqlite`);
      for (let kill = 0; kill < 4; kill++) {
        const child = spawn(process.execPath, [CLI, 'ingest', logs, '--library', library], {
          stdio: 'ignore',
        });
        const ended = once(child, 'exit');
        await Promise.race([ended, delay(random.int(250, 900))]);
        child.kill('SIGKILL');
        await ended;
      }
      await ingestHere(library, [logs]);
      assert.deepEqual(contents(library), expected);
    }
    console.log('soak: 25 libraries killed four times each are whole');
  } finally {
    place.remove();
  }
}

async function soakFuzz(): Promise<void> {
  const corpus = await readCorpus();
  for (const { name } of FORMATS) {
    const files = corpus.filter(({ format }) => format === name);
    fuzzRecords(files, { seed: 4, runs: 15_000 });
    fuzzBytes(files, { seed: 5, runs: 5000 });
  }
  console.log(`soak: 20,000 broken records of ${FORMATS.length} formats each are read or refused`);
  console.log(`soak: ${await fuzzFiles({ seed: 6, runs: 3000 })} files of broken records are accounted for`);
  console.log(`soak: ${await fuzzContainers({ seed: 7, runs: 5000 })} broken containers end with a report`);
}

async function soakAllKills(): Promise<void> {
  console.log(
    `soak: ${await killIngests({ seed: 8, points: 400 })} kills at any statement, and the libraries are whole`,
  );
  console.log(`soak: ${await killJobs({ seed: 9, points: 200 })} kills of other jobs, and nothing is lost`);
  await soakKills(new Random(2));
}

async function soakRecorder(): Promise<void> {
  if (python === '') {
    console.log('soak: the recorder is left out, since there is no Python 3');
    return;
  }
  let rollouts = 0;
  for (const variant of VARIANTS) {
    rollouts += (await checkPools(variant, { steps: 100 })).rollouts;
    if (withNumpy !== undefined) await checkPools(variant, { steps: 100, isNumpy: true });
  }
  console.log(
    `soak: ${rollouts} rollouts of 100 steps of ${VARIANTS.length} trainers are recorded as sampled${withNumpy === undefined ? '' : ', and with numpy'}`,
  );
  for (const [rule, world, steps] of [
    ['release', 8, 92],
    ['release-first-week', 4, 92],
  ] as const) {
    const { pools, decisions } = await checkDecisions(rule, { world, steps });
    console.log(`soak: ${rule}: 0 of ${decisions} decisions in ${pools} pools differ`);
  }
  let faults = 0;
  for (const [fault, trainers] of FAULTS) {
    for (const variant of trainers) {
      await checkFault(fault, variant);
      faults++;
    }
  }
  console.log(`soak: ${faults} trainings end at their last step when the recorder fails`);
}

async function soakWarehouse(): Promise<void> {
  const test = join(import.meta.dirname, '..', 'main.ts');
  const child = spawn(process.execPath, [test, 'test/e2e/onWarehouse.test.ts'], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, TURNWISE_SOAK: '1' },
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  assert.equal(code, 0);
  console.log(
    'soak: lists, ledgers, replays, comparisons, search and SQL are those of a library on a warehouse',
  );
}

const [chosen, minutes = '60'] = process.argv.slice(2);
const PARTS: Readonly<Record<string, () => void | Promise<void>>> = {
  segments: () => soakSegments(new Random(1)),
  fuzz: soakFuzz,
  kills: soakAllKills,
  pushes: async () => console.log(`soak: ${await killPushes({ seed: 10, kills: 20 })}`),
  recorder: soakRecorder,
  views: async () => console.log(`soak: ${await soakViews()}`),
  warehouse: soakWarehouse,
  longUse: async () => console.log(`soak: ${await soakLongUse(Number(minutes))}`),
};
if ((chosen !== undefined && !Object.hasOwn(PARTS, chosen)) || !(Number(minutes) > 0)) {
  console.error(`soak: expects a part (${Object.keys(PARTS).join(', ')}) and, for longUse, minutes`);
  process.exit(2);
}
const home = mkdtempSync(join(tmpdir(), 'turnwise-soak-'));
process.env['TURNWISE_HOME'] = home;
try {
  for (const [name, soak] of Object.entries(PARTS)) if (chosen === undefined || chosen === name) await soak();
} finally {
  rmSync(home, { recursive: true, force: true });
}
