/** The options of a failure pack. */
import type { PackFormat, PackPairs } from '../../../shared/api/contract.ts';
import type { Redaction } from './redact.ts';

export interface PackOptions extends Redaction {
  /** Includes the other rollouts of the groups, marked as siblings. */
  readonly siblings: boolean;
  readonly tokens: boolean;
  /** Includes the raw log record. */
  readonly raw: boolean;
}

/** The selection, as the manifest stores it. */
interface PackChosen {
  readonly runId?: number | undefined;
  readonly filter: string;
  readonly labels?: string[] | undefined;
  readonly rolloutIds?: number[] | undefined;
  readonly isAll: boolean;
  readonly pairs?: PackPairs | undefined;
}

export interface PackRequest extends PackOptions, PackChosen {
  readonly format: PackFormat;
  /** Path of the file, or of the directory for `parquet`. It must not exist. */
  readonly path: string;
  /** Version of Turnwise. */
  readonly version: string;
}
