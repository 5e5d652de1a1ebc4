/** What is asked of a failure pack. */
import type { PackFormat } from '../../../shared/api/contract.ts';

export interface PackOptions {
  /** The other rollouts of their groups, marked as such. */
  readonly siblings: boolean;
  readonly tokens: boolean;
  /** The record as it stands in its log. */
  readonly raw: boolean;
  /** Regular expressions, with the flags `g` and `u`. */
  readonly redact: readonly string[];
}

/** How the rollouts were chosen, as the manifest says it. */
interface PackChosen {
  readonly runId?: number | undefined;
  readonly filter: string;
  readonly labels?: string[] | undefined;
  readonly rolloutIds?: number[] | undefined;
  readonly isAll: boolean;
}

export interface PackRequest extends PackOptions, PackChosen {
  readonly format: PackFormat;
  /** Of the file, or of the directory for `parquet`; nothing may be there. */
  readonly path: string;
  /** Of Turnwise. */
  readonly version: string;
}
