/**
 * Step metrics on verl's console (`trainer.logger=[console]`; `LocalLogger` in
 * `verl/utils/logger/aggregate_logger.py`, verl-project/verl), among all other output of a job:
 *
 *   (TaskRunner pid=4321) step:3 - global_seqlen/min:1024 - critic/score/mean:0.4140625 - actor/entropy:np.float64(0.31)
 *
 * Ray prefixes the process name, coloured if it detects a terminal. Older versions write three decimals,
 * newer ones Python's representation, including NumPy scalars. The location of the file identifies the run.
 */
import { numberOf, stringOf } from './fields.ts';
import { type FileHead, type LogFormat, type ParsedLine, TEXT_KEY } from './format.ts';

const STEP = 'step:';
const STEP_LINE = /(?:^|\s)step:(\d{1,9}) - (?=\S+:)/;
/** `\x1b[36m`: Ray's colour of a process name. */
const COLOUR = /\x1b\[[\d;]*m/g;
const BETWEEN = ' - ';
/** `0.41`, `1e-06`, `np.float64(0.41)`, `tensor(0.41)`. */
const VALUE = /^(?:[\w.]+\()?(-?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)(?:,[^)]*)?\)?$/i;

export const verlConsole: LogFormat = {
  name: 'verl-console',
  title: 'What verl prints of its steps (console log of a job)',
  source: 'verl-project/verl, verl/utils/logger/aggregate_logger.py, up to v0.9.0 (August 2026)',
  rule: 'a line that is no JSON and holds "step:N - name:value", within the first 64 MiB',
  reads: 'every number, under its name, for its step; the run is named by the directory of the file',
  ignores: 'every other line, and values that are no finite numbers',
  runIs: 'file',
  detect: ({ records }: FileHead) =>
    records.some((record) => typeof record[TEXT_KEY] === 'string' && isMetricsLine(record[TEXT_KEY])),
  open: () => ({ read: (record) => readLine(stringOf(record[TEXT_KEY]) ?? '') }),
};

export function isMetricsLine(line: string): boolean {
  return line.includes(STEP) && STEP_LINE.test(line.replace(COLOUR, ''));
}

function readLine(line: string): ParsedLine {
  if (!line.includes(STEP)) return { kind: 'skip' };
  const plain = line.replace(COLOUR, '');
  const found = STEP_LINE.exec(plain);
  if (found === null) return { kind: 'skip' };
  const metrics: Record<string, number> = {};
  for (const part of plain.slice(found.index + found[0].length).split(BETWEEN)) {
    // Names may contain a colon, values never do.
    const colon = part.lastIndexOf(':');
    const value = VALUE.exec(part.slice(colon + 1).trim())?.[1];
    if (colon > 0 && numberOf(Number(value)) !== undefined)
      metrics[part.slice(0, colon).trim()] = Number(value);
  }
  if (Object.keys(metrics).length === 0) return { kind: 'skip' };
  return { kind: 'metric', metric: { step: Number(found[1]), metrics } };
}
