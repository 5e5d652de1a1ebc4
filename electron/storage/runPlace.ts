import { basename, dirname, join } from 'node:path';
import { formatNamed } from '../../shared/format/index.ts';
import { layoutOf } from '../../shared/format/layout.ts';

/** Where a run that logs no id lies. */
export interface RunPlace {
  /** By this the run is known: its directory, or its file where a format writes one run into one file. */
  readonly place: string;
  /** The directory its files share; records of other files find its rollouts here. */
  readonly home: string;
}

export function runPlaceOf(path: string, format: string | undefined): RunPlace {
  const { depth, isStepOfFile } = layoutOf(path);
  let home = dirname(path);
  for (let above = depth; above > 0; above--) home = dirname(home);
  const isFile = format !== undefined && formatNamed(format)?.runIs === 'file' && !isStepOfFile;
  // The same name in every step's directory is the same file of the run.
  return { home, place: isFile ? join(home, basename(path)) : home };
}
