import { basename, dirname, join } from 'node:path';
import { formatNamed } from '../../shared/format/index.ts';
import { layoutOf } from '../../shared/format/layout.ts';

/** The location of a run that logs no id. */
export interface RunPlace {
  /** Identifies the run: its directory, or its file if the format writes one run into one file. */
  readonly place: string;
  /** The directory that the run's files share. Records in other files use it to find its rollouts. */
  readonly home: string;
  /** The log, where its name may describe the run: not that of one of its steps. */
  readonly file?: string;
}

/** Names of directories and files that do not describe a run: words for their content, and names without a letter. */
const GENERIC =
  /^(?:(?:rollout|train|val|eval|test|validation)(?:s|_data|_results)?|dumps?|logs?|data|inputs?|outputs?|results?|records?|samples?|messages?|conversations?|generations?|predictions?|responses?|runs?|traces?|trajector(?:y|ies)|episodes?|completions?|(?:part|shard|chunk|rank|worker)[-_]?\d+(?:-of-\d+)?|[^\p{L}]+)$/iu;

export const isGeneric = (name: string): boolean => GENERIC.test(name);

export function runPlaceOf(path: string, format: string | undefined): RunPlace {
  const { depth, step, stem, isStepOfFile } = layoutOf(path);
  let home = dirname(path);
  for (let above = depth; above > 0; above--) home = dirname(home);
  const isFile = format !== undefined && formatNamed(format)?.runIs === 'file' && !isStepOfFile;
  // Files of the same name in the directories of several steps belong to one run.
  const isOfRun = depth === 0 && step === undefined && !isGeneric(stem);
  return { home, place: isFile ? join(home, basename(path)) : home, ...(isOfRun ? { file: path } : {}) };
}
