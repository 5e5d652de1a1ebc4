/** Libraries with labelled rollouts, and packs of them, on this thread. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ColumnQueryEngine } from '../../electron/columns/queryEngine.ts';
import type { PackRequest } from '../../electron/export/pack/packOptions.ts';
import { writePack } from '../../electron/export/pack/packWriter.ts';
import { wholeRecord } from '../../electron/ingest/recordChunk.ts';
import { openReader } from '../../electron/storage/open.ts';
import { recordSource } from '../../electron/storage/queries/places.ts';
import { FREE_TASK } from '../../electron/threads/task.ts';
import type { PackFormat, WrittenPack } from '../../shared/api/contract.ts';
import { Labelled } from './labelled.ts';
import { ingestHere } from './library.ts';
import { HOSTILE_TEXT } from './shells/hostileLog.ts';

export type PackAsked = Partial<Omit<PackRequest, 'format' | 'path'>>;

/** @param stopAfter number of rollouts after which it is cancelled */
export async function packHere(
  library: string,
  format: PackFormat,
  path: string,
  asked: PackAsked = {},
  stopAfter = Number.POSITIVE_INFINITY,
): Promise<WrittenPack | undefined> {
  const request: PackRequest = {
    ...{ filter: '', isAll: false, siblings: false, tokens: false, raw: false, redact: [], version: 'test' },
    keepsCredentials: false,
    ...asked,
    ...{ format, path },
  };
  const db = openReader(library);
  try {
    const { runId, filter, labels, rolloutIds, isAll, pairs } = request;
    const question = { runId, filter, labels, rolloutIds, isAll, pairs };
    const chosen = new ColumnQueryEngine(db).packIds(question, FREE_TASK);
    const granted = { library, paths: [join(path, '..')] };
    const steps = writePack(db, request, {
      ...chosen,
      rawOf: (rolloutId) => wholeRecord(recordSource(db, rolloutId), granted),
    });
    for (let done = 1; ; done++) {
      const step = await steps.next();
      if (step.done === true) return step.value;
      if (done >= stopAfter) {
        await steps.return(undefined as never);
        return undefined;
      }
    }
  } finally {
    db.close();
  }
}

/** Texts that would act if they were not escaped, and a megabyte without a line end. */
export const HOSTILE = [
  HOSTILE_TEXT,
  '</textarea></style></script></title>--> ]]> <!-- <![CDATA[',
  '"\'><img src=x onerror=alert(1)> javascript:alert(1) [x](javascript:alert(1)) ![x](https://beacon.attacker.example/n.png)',
  '=HYPERLINK("https://beacon.attacker.example","x") +1 -1 @SUM(1)',
  '\u001b[2J \u202e \u2066 \u0000 \u0007 \ufeff',
  '```\n# heading\n| a | b |\n|---|---|\n> quote\n````\n~~~',
].join('\n');
const LONG_LINE = 'long<b>line '.repeat(90_000);

/** A log whose fields and annotations are all hostile. */
export async function hostileLibrary(library: string, directory: string): Promise<void> {
  const name = (text: string): string => `${text}${HOSTILE.slice(0, 300)}`;
  const lines = [
    { v: 1, type: 'run', run: name('run '), name: name('=name '), model: HOSTILE },
    ...[0, 1, 2].map((index) => ({
      ...{ v: 1, type: 'rollout', run: name('run '), step: 3, split: 'train', group: name('@group '), index },
      problem: { id: name('-problem '), prompt: HOSTILE, ground_truth: `=${HOSTILE}` },
      messages: [
        {
          role: 'assistant',
          content: `${HOSTILE}${index === 0 ? LONG_LINE : ''}`,
          tool_calls: [
            {
              ...{ id: 'call', type: 'function' },
              function: { name: name('tool '), arguments: JSON.stringify({ code: HOSTILE }) },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'call', content: `Tool call failure\n${HOSTILE}` },
        { role: 'assistant', content: `<answer>${HOSTILE}</answer>` },
      ],
      ...{ reward: index % 2, is_correct: index % 2 === 1, answer: `+${HOSTILE}`, stop_reason: 'answer' },
    })),
  ];
  const log = join(directory, 'hostile-fields.jsonl');
  writeFileSync(log, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  await ingestHere(library, [log]);
  const labelled = new Labelled(library);
  try {
    labelled.annotations.setTaxonomy({
      name: HOSTILE.slice(0, 150),
      choice: 'many',
      labels: [{ id: 'odd', name: `=${HOSTILE.slice(0, 150)}`, colour: 'red', description: HOSTILE }],
    });
    const author = `@${HOSTILE.slice(0, 100)}`;
    for (const rolloutId of labelled.rollouts()) {
      const said = { label: 'odd', note: HOSTILE, correction: `=${HOSTILE}` };
      labelled.apply(
        author,
        { put: { rolloutId, target: { kind: 'span', text: 'response', start: 10, end: 900 }, ...said } },
        { put: { rolloutId, target: { kind: 'turn', turn: 1 }, note: HOSTILE } },
        { put: { rolloutId, target: { kind: 'span', text: 'prompt', start: 5, end: 60 }, label: 'odd' } },
      );
    }
  } finally {
    labelled.close();
  }
}

/** Every file below a directory, by relative path. */
export function filesOf(directory: string): ReadonlyMap<string, Buffer> {
  const paths = readdirSync(directory, { recursive: true }).map(String).sort();
  return new Map(
    paths
      .filter((path) => statSync(join(directory, path)).isFile())
      .map((path) => [path, readFileSync(join(directory, path))]),
  );
}
