/** Values of the contract about where a run comes from: formats, files, mappings, joins, rules. */
import type { RunKind } from '../domain/model.ts';
import type { Misfit } from '../format/alignIds.ts';
import type { GroupRule } from '../format/format.ts';
import type { Mapping } from '../format/mapping.ts';

export interface FormatRow {
  readonly name: string;
  readonly title: string;
  readonly source: string;
  readonly rule: string;
  readonly reads: string;
  readonly ignores: string;
}

export interface FileInspection {
  readonly path: string;
  readonly bytes: number;
  /** plain, gzip, zstd, zip, parquet, sqlite; and what its records are: line, element, value, member, row. */
  readonly container: string;
  readonly unit?: string;
  /** Absent when the file is refused; `mapping:NAME` for one read by a saved mapping. */
  readonly format?: string;
  readonly title?: string;
  /** Why this format: its detection rule. */
  readonly rule?: string;
  /** Why the file is refused, where it is. */
  readonly issue?: { readonly code: string; readonly message: string; readonly line?: number };
  /** What the path says. */
  readonly directory: string;
  readonly step?: number;
  readonly kind?: RunKind;
  /** Records looked at, at most 20, and what became of them when read. */
  readonly records: number;
  readonly outcomes: Readonly<Record<string, number>>;
  /** Top-level fields of the first record. */
  readonly keys: readonly string[];
  /** For a file no format recognises: fields to map, and a first guess. */
  readonly paths?: readonly RecordPath[];
  readonly proposal?: Mapping;
}

/** A place in the records, and what stands there in the first that has it. */
export interface RecordPath {
  readonly path: string;
  readonly type: 'text' | 'number' | 'truth' | 'list' | 'object' | 'null';
  readonly sample: string;
}

export interface MappingPreview {
  readonly records: readonly PreviewRecord[];
}

export interface PreviewRecord {
  readonly number: number;
  /** The record as JSON, indented; cut after 20,000 characters, and then `isCut`. */
  readonly json: string;
  readonly isCut: boolean;
  readonly rollouts: readonly PreviewRollout[];
  readonly issues: readonly {
    readonly severity: 'refused' | 'warning';
    readonly code: string;
    readonly message: string;
  }[];
}

export interface PreviewRollout {
  readonly prompt: string;
  readonly response: string;
  readonly turns: number;
  readonly toolCalls: number;
  readonly reward?: number;
  readonly isCorrect?: boolean;
  readonly groundTruth?: string;
  readonly answer?: string;
  readonly groupKey: string;
  readonly groupRule: GroupRule;
  readonly ordinal?: number;
  readonly step?: number;
  readonly kind: RunKind;
  readonly kept?: boolean;
  readonly tokens?: number;
  /** Names of the per-token columns. */
  readonly signals: readonly string[];
}

export interface RunSources {
  readonly runKey: string;
  readonly format: string;
  readonly directory: string;
  /** The name the user gave the directory, where it has one. */
  readonly givenName?: string;
  /** All directories of that name, this one among them; empty without a name. */
  readonly directories: readonly string[];
  /** The user's rule for groups; absent: as the log says. */
  readonly groupRule?: { readonly rule: 'prompt' | 'order'; readonly size?: number };
  /** How many groups came about by which rule, and the rollouts in them. */
  readonly groups: readonly {
    readonly rule: GroupRule;
    readonly groups: number;
    readonly rollouts: number;
  }[];
  readonly files: readonly SourceFileRow[];
  /** Files above the first 500, which are not listed. */
  readonly moreFiles: number;
  /** The vocabulary the user gave for token ids without text. */
  readonly tokenizer?: { readonly name: string; readonly size: number };
  readonly idPlaces: IdPlaces;
  /** Runs that list the kept rollouts of this one, and those whose pool this one is the list of. */
  readonly poolJoins: readonly {
    readonly poolKey: string;
    readonly poolName: string;
    readonly keptKey: string;
    readonly keptName: string;
    /** Rollouts of the pool that were found, and those decided by the join. */
    readonly matched: number;
    readonly decided: number;
  }[];
  /** Other runs below the same directory: candidates for being the same run. */
  readonly neighbours: readonly {
    readonly runKey: string;
    readonly name: string;
    readonly kind: RunKind;
    readonly format: string;
    readonly directory: string;
    readonly rollouts: number;
  }[];
}

/** What a tokenizer did for a run. */
export interface AlignmentRow {
  /** Ids the vocabulary has. */
  readonly size: number;
  /** Rollouts with ids without text, and how many of them have places on the text now. */
  readonly rollouts: number;
  readonly aligned: number;
  /** Runs of sampled tokens in those, and how many stand in the texts; the others have no place. */
  readonly runs: number;
  readonly placed: number;
  /** The first twenty rollouts that are not placed as a whole, and why. */
  readonly firstUnplaced: readonly UnplacedRow[];
}

export interface UnplacedRow {
  readonly step: number;
  readonly groupKey: string;
  readonly ordinal: number;
  /** Why the first run of sampled tokens without a place has none. */
  readonly why: Misfit;
}

/** Rollouts of a run whose tokens were logged as ids, by where these stand on the text. */
interface IdPlaces {
  /** With per-token columns of any kind. */
  readonly withTokens: number;
  /** Places are in the log itself. */
  readonly logged: number;
  /** Places come from the run's tokenizer. */
  readonly byTokenizer: number;
  /** Ids, and no places. */
  readonly unplaced: number;
}

/** What joining a pool with the list of its kept rollouts came to. */
export interface PoolJoinRow {
  /** Steps in which both logs have rollouts in common; only these are decided. */
  readonly steps: number;
  /** Rollouts of the pool in these steps, and how many of them were found. */
  readonly pool: number;
  readonly matched: number;
  /** Not found, and therefore discarded; those the pool's own log had decided are not among them. */
  readonly discarded: number;
  /** The pool's own log says otherwise of the decision or the reward: its word stands. */
  readonly conflicts: number;
  /** Found among several of the same text, not all of which are listed: which of them is a guess. */
  readonly ambiguous: number;
  /** Kept rollouts that are not in the pool, and where the first twenty are. */
  readonly leftovers: number;
  readonly firstLeftovers: readonly {
    readonly step: number;
    readonly groupKey: string;
    readonly ordinal: number;
  }[];
}

export interface SourceFileRow {
  readonly fileId: number;
  readonly path: string;
  readonly format?: string;
  readonly container: string;
  readonly unit: string;
  readonly bytes: number;
  /** Rollouts of this run read from it. */
  readonly rollouts: number;
  /** Records that joined a rollout of this run, and those waiting for theirs. */
  readonly joined: number;
  readonly waiting: number;
  readonly masked: number;
}

/** A group of the same problem elsewhere. */
export interface ProblemPlace {
  readonly runKey: string;
  readonly runName: string;
  readonly kind: RunKind;
  /** Absent where the log knows no step. */
  readonly step?: number;
  readonly groupId: number;
  readonly groupKey: string;
  readonly rollouts: number;
  readonly correct: number;
  readonly correctKnown: number;
  readonly meanReward?: number;
  readonly isThis: boolean;
}

export interface FollowRow {
  readonly path: string;
  /** `lost`: the directory is not there at the moment; it is looked for again. */
  readonly state: 'watching' | 'reading' | 'lost';
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly lastChange?: number;
  /** Rollouts read since it is followed. */
  readonly rollouts: number;
}
