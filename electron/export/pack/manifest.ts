/** The manifest of a pack. It does not depend on the time or place of writing. */
import type { Direction, PackFormat, PackPairs } from '../../../shared/api/contract.ts';
import type { Taxonomy } from '../../../shared/domain/annotate/taxonomy.ts';
import { PACK_VERSION } from '../../../shared/format/pack.ts';
import type { PackRequest } from './packOptions.ts';
import type { RedactionCount } from './redact.ts';
import type { PackSummary } from './summary.ts';

export interface Manifest {
  readonly pack: number;
  readonly type: 'manifest';
  /** Version of Turnwise. */
  readonly turnwise: string;
  readonly format: PackFormat;
  readonly runs: PackSummary['runs'];
  readonly choice: {
    readonly run?: string;
    readonly filter?: string;
    readonly labels?: readonly string[];
    /** Number of rollouts picked by hand. */
    readonly picked?: number;
    /** Includes rollouts without labels. */
    readonly all?: true;
    /** Problems that changed between two steps. */
    readonly changes?: ChangesChosen;
  };
  readonly options: { readonly siblings: boolean; readonly tokens: boolean; readonly raw: boolean };
  readonly taxonomy: Taxonomy;
  readonly counts: {
    readonly cases: number;
    readonly pairs?: number;
    readonly siblings: number;
    readonly annotations: number;
    readonly readings: number;
    /** Raw records that are not whole JSON, in which redaction cannot be applied. */
    readonly raw_left_out?: number;
    readonly labels: readonly {
      readonly label?: string;
      readonly cases: number;
      readonly annotations: number;
    }[];
  };
  readonly redactions: readonly RedactionCount[];
}

/** Runs by key. */
interface ChangesChosen {
  readonly from: { readonly run: string; readonly step: number };
  readonly to: { readonly run: string; readonly step: number };
  readonly became: Direction;
}

/** Empty for two rollouts picked by hand. */
export function changesChosen(
  pairs: PackPairs,
  keyOf: (runId: number) => string,
): { readonly changes?: ChangesChosen } {
  if ('rolloutIds' in pairs) return {};
  const { from, to, became } = pairs;
  return {
    changes: {
      from: { run: keyOf(from.runId), step: from.step },
      to: { run: keyOf(to.runId), step: to.step },
      became,
    },
  };
}

export interface ManifestFacts {
  readonly request: PackRequest;
  /** Key of the requested run. */
  readonly run?: string;
  readonly filter: string;
  readonly pairs?: { readonly count: number; readonly changes?: ChangesChosen };
  readonly taxonomy: Taxonomy;
  readonly summary: PackSummary;
  readonly redactions: readonly RedactionCount[];
  /** Records left out because they could not be parsed. */
  readonly undecoded: number;
}

export function manifestOf(facts: ManifestFacts): Manifest {
  const { request, run, filter, pairs, taxonomy, summary, redactions, undecoded } = facts;
  const { format, version, labels, rolloutIds, isAll, siblings, tokens, raw } = request;
  return {
    pack: PACK_VERSION,
    type: 'manifest',
    turnwise: version,
    format,
    runs: summary.runs,
    choice: {
      ...(run === undefined ? {} : { run }),
      ...(filter.trim() === '' ? {} : { filter }),
      ...(labels === undefined ? {} : { labels }),
      ...(rolloutIds === undefined ? {} : { picked: new Set(rolloutIds).size }),
      ...(isAll ? { all: true } : {}),
      ...(pairs?.changes === undefined ? {} : { changes: pairs.changes }),
    },
    options: { siblings, tokens, raw },
    taxonomy,
    counts: {
      cases: summary.cases,
      ...(pairs === undefined ? {} : { pairs: pairs.count }),
      siblings: summary.siblings,
      annotations: summary.annotations,
      readings: summary.readings,
      ...(undecoded === 0 ? {} : { raw_left_out: undecoded }),
      labels: summary.labels.map(({ label, cases, annotations }) => ({
        ...(label === undefined ? {} : { label }),
        cases,
        annotations,
      })),
    },
    redactions,
  };
}
