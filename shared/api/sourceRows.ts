/** Values of the contract about the sources of a run: formats, files, mappings, joins, rules. */
import type { RunKind } from '../domain/model.ts';
import type { AlignmentFailure } from '../format/alignIds.ts';
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
  /**
   * Container: plain, gzip, zstd, zip, parquet, sqlite, adapter. Unit of its records: line, element, value,
   * member, row, output line.
   */
  readonly container: string;
  readonly unit?: string;
  /** Absent if the file is refused. `mapping:NAME` for a file read by a saved mapping. */
  readonly format?: string;
  readonly title?: string;
  /** The detection rule that chose this format. */
  readonly rule?: string;
  /** Why the file is refused, if it is. */
  readonly issue?: { readonly code: string; readonly message: string; readonly line?: number };
  /** Facts from the path. */
  readonly directory: string;
  readonly step?: number;
  readonly kind?: RunKind;
  /** Records examined, at most 20, and their results. */
  readonly records: number;
  readonly outcomes: Readonly<Record<string, number>>;
  /** Top-level fields of the first record. */
  readonly keys: readonly string[];
  /** For a file that no format recognizes: fields to map, and a proposed mapping. */
  readonly paths?: readonly RecordPath[];
  readonly proposal?: Mapping;
}

/** A path in the records, and its value in the first record that has it. */
export interface RecordPath {
  readonly path: string;
  readonly type: 'text' | 'number' | 'truth' | 'list' | 'object' | 'null';
  readonly sample: string;
}

export interface MappingPreview {
  readonly records: readonly PreviewRecord[];
  /** Number of prompt groups that the rollouts of these records form. */
  readonly groups: number;
}

export interface PreviewRecord {
  readonly number: number;
  /** The record as indented JSON. Cut after 20,000 characters, and then `isCut` is set. */
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
  /** `problem`: the logged id of the problem is the group. */
  readonly groupRule: GroupRule | 'problem';
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
  /** The name that the user gave the directory, if any. */
  readonly givenName?: string;
  /** All directories of that name, including this one. Empty without a name. */
  readonly directories: readonly string[];
  /** The user's rule for groups. Absent: as logged. */
  readonly groupRule?: { readonly rule: 'prompt' | 'order'; readonly size?: number };
  /** Number of groups formed by each rule, and their rollouts. */
  readonly groups: readonly {
    readonly rule: GroupRule;
    readonly groups: number;
    readonly rollouts: number;
  }[];
  readonly files: readonly SourceFileRow[];
  /** Files beyond the first 500, which are not listed. */
  readonly moreFiles: number;
  /** The vocabulary that the user gave for token ids without text. */
  readonly tokenizer?: { readonly name: string; readonly size: number };
  readonly idPlaces: IdAlignment;
  /** Runs that list kept rollouts of this one, and runs whose pool this one lists. */
  readonly poolJoins: readonly {
    readonly poolKey: string;
    readonly poolName: string;
    readonly keptKey: string;
    readonly keptName: string;
    /** Pool rollouts that were matched, and rollouts decided by the join. */
    readonly matched: number;
    readonly decided: number;
  }[];
  /** Similar runs below the same directory, which may be the same run. Empty if the log names its run. */
  readonly neighbours: readonly {
    readonly runKey: string;
    readonly name: string;
    readonly kind: RunKind;
    readonly format: string;
    readonly directory: string;
    readonly rollouts: number;
  }[];
}

/** Result of aligning a run with a tokenizer. */
export interface AlignmentRow {
  /** Number of ids in the vocabulary. */
  readonly size: number;
  /** Rollouts with ids but no text, and those that now have offsets. */
  readonly rollouts: number;
  readonly aligned: number;
  /** Spans of sampled tokens in those rollouts, and spans found in the text. The others have no offsets. */
  readonly runs: number;
  readonly placed: number;
  /** The first twenty rollouts that are not fully placed, and why. */
  readonly firstUnplaced: readonly UnplacedRow[];
}

export interface UnplacedRow {
  readonly step: number;
  readonly groupKey: string;
  readonly ordinal: number;
  /** Why the first span of sampled tokens without offsets has none. */
  readonly why: AlignmentFailure;
}

/** Rollouts of a run whose tokens were logged as ids, by where their offsets come from. */
interface IdAlignment {
  /** Rollouts with any per-token column. */
  readonly withTokens: number;
  /** Offsets are in the log. */
  readonly logged: number;
  /** Offsets come from the run's tokenizer. */
  readonly byTokenizer: number;
  /** Ids without offsets. */
  readonly unplaced: number;
}

/** Result of joining a pool with the list of its kept rollouts. */
export interface PoolJoinRow {
  /** Steps that both logs have; only these are decided. */
  readonly steps: number;
  /** Pool rollouts in these steps, and those that were matched. */
  readonly pool: number;
  readonly matched: number;
  /** Rollouts discarded because they were not matched, without those that the pool's own log had decided. */
  readonly discarded: number;
  /** The pool's own log differs in the decision or the reward; the pool's value is kept. */
  readonly conflicts: number;
  /**
   * Matched by a text that several pool rollouts share, not all of which are listed, so the choice is a
   * guess.
   */
  readonly ambiguous: number;
  /** Kept rollouts that are not in the pool, and the locations of the first twenty. */
  readonly leftovers: number;
  readonly firstLeftovers: readonly {
    readonly step: number;
    readonly groupKey: string;
    readonly ordinal: number;
  }[];
}

/** A file that was found and not read to its end, or has grown since. `ingest.start` with its path continues. */
export interface UnreadFile {
  readonly path: string;
  /** Runs that have rollouts of it. */
  readonly runIds: readonly number[];
  /** Absent before its first record. */
  readonly format?: string;
  /** Read so far. */
  readonly records: number;
  /** Read so far. Absent in a compressed file, and with an adapter. */
  readonly bytesRead?: number;
  /** Size of the whole file. */
  readonly bytes: number;
  /** Its ingest used an adapter, which only the command line can name. So `ingest.start` cannot continue it. */
  readonly hasAdapter: boolean;
  /** It was read to the end that it had then. */
  readonly hasGrown?: true;
}

export interface SourceFileRow {
  readonly fileId: number;
  readonly path: string;
  readonly format?: string;
  readonly container: string;
  readonly unit: string;
  readonly bytes: number;
  /** Rollouts of this run read from the file. */
  readonly rollouts: number;
  /** Records joined to a rollout of this run, and records still waiting for one. */
  readonly joined: number;
  readonly waiting: number;
  readonly masked: number;
  /** Why the file was not read, in a sentence: another file of the library has the same content. Absent: it was read. */
  readonly notRead?: string;
  /** Size of a last line that does not end yet. Absent: the file ends in a whole record. */
  readonly halfLineBytes?: number;
}

/** A group of the same problem elsewhere. */
export interface ProblemOccurrence {
  readonly runKey: string;
  readonly runName: string;
  readonly kind: RunKind;
  /** Absent if the log has no steps. */
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
  /**
   * `lost`: the path is currently missing. `outside`: it leads out of the opened paths, for example because a link
   * replaced it, and is not read. Scans continue in both states.
   */
  readonly state: 'watching' | 'reading' | 'lost' | 'outside';
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly lastChange?: number;
  /** Rollouts read since following began. */
  readonly rollouts: number;
}

export interface PathEntry {
  readonly path: string;
  readonly kind: 'file' | 'directory';
  /** Size of a file. */
  readonly bytes?: number;
}

/** Paths that begin with what a user has typed. */
export interface PathListing {
  /** Directories first, each kind in natural order. */
  readonly entries: readonly PathEntry[];
  /** False: the list is cut, because more paths begin with the typed text. */
  readonly isWhole: boolean;
}
