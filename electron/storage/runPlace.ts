import { basename, dirname, join } from 'node:path';
import { formatNamed } from '../../shared/format/index.ts';
import { layoutOf } from '../../shared/format/layout.ts';

/** The location of a run that logs no id. */
export interface RunPlace {
  /** Identifies the run: its directory, or its file if the format writes one run into one file. */
  readonly place: string;
  /** The directory that the run's files share. Records in other files use it to find its rollouts. */
  readonly home: string;
}

export function runPlaceOf(path: string, format: string | undefined): RunPlace {
  const { depth, isStepOfFile } = layoutOf(path);
  let home = dirname(path);
  for (let above = depth; above > 0; above--) home = dirname(home);
  const isFile = format !== undefined && formatNamed(format)?.runIs === 'file' && !isStepOfFile;
  // Files of the same name in the directories of several steps belong to one run.
  return { home, place: isFile ? join(home, basename(path)) : home };
}
