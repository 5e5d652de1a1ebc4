/** Where rollouts come from: files, formats, mappings, sources of a run, ingest, and the shell. */
import { z } from 'zod';
import { MAPPED_ROLES, MAPPING_FIELDS, MAPPING_VERSION, type Mapping } from '../format/mapping.ts';
import { defineMethod, resultOf } from './method.ts';
import { id, path, pathPrefix } from './paramTypes.ts';
import type { FileRow, IngestProgress, IssueRow } from './rows.ts';
import type {
  AlignmentRow,
  FileInspection,
  FollowRow,
  FormatRow,
  MappingPreview,
  PathListing,
  PoolJoinRow,
  ProblemOccurrence,
  RunSources,
  UnreadFile,
} from './sourceRows.ts';

/** Paths of one request. Each is resolved on the host's thread. */
const MOST_PATHS = 1_000;

const mappingSchema = z.object({
  version: z.literal(MAPPING_VERSION),
  name: z.string().trim().min(1).max(200),
  shape: z.array(z.string()).max(1000),
  rollouts: z.string().max(1000).optional(),
  fields: z.partialRecord(z.enum(MAPPING_FIELDS), z.string().max(1000)),
  roles: z.record(z.string().max(1000), z.enum(MAPPED_ROLES)).optional(),
});

export const SOURCE_METHODS = {
  /** Equal warnings of a file share one row. `after`: number of rows to skip. `refused`: the part of `total` that is not in the library. */
  'issue.list': defineMethod({
    params: z.object({
      runId: id.optional(),
      code: z.string().optional(),
      after: id.default(0),
      limit: z.int().positive().max(1000).default(200),
    }),
    result: resultOf<{
      readonly issues: readonly IssueRow[];
      readonly total: number;
      readonly refused: number;
      readonly next?: number;
    }>(),
    runsOn: 'reader',
  }),
  'file.list': defineMethod({
    params: z.object({ runId: id.optional() }),
    result: resultOf<readonly FileRow[]>(),
    runsOn: 'reader',
  }),
  /** Groups of the same problem at other steps and in other runs, found by its normalized question. */
  'problem.occurrences': defineMethod({
    params: z.object({ groupId: id, limit: z.int().positive().max(1000).default(200) }),
    result: resultOf<{ readonly places: readonly ProblemOccurrence[]; readonly total: number }>(),
    runsOn: 'reader',
  }),
  /** Sources of a run: files, directories, joins, and the rules that formed its groups. */
  'run.sources': defineMethod({
    params: z.object({ runKey: z.string() }),
    result: resultOf<RunSources>(),
    runsOn: 'reader',
  }),
  /** `log`: groups as logged. Regroups the rollouts of the run, and applies to rollouts read later. */
  'run.setGroupRule': defineMethod({
    params: z.object({
      runKey: z.string(),
      rule: z.enum(['log', 'prompt', 'order']),
      /** Rollouts per group, with `order`. */
      size: z.int().positive().max(100_000).optional(),
    }),
    result: resultOf<{ readonly groups: number }>(),
    runsOn: 'writer',
  }),
  /**
   * Directories with the same name are one run. null: the directory becomes a run of its own again. Rereads
   * their files.
   */
  'run.setName': defineMethod({
    params: z.object({ directory: path, name: z.string().trim().min(1).max(200).nullable() }),
    result: resultOf<{ readonly jobId: number }>(),
    runsOn: 'host',
  }),
  /**
   * `keptKey` lists the kept rollouts of the pool `poolKey`. Rollouts are matched by step, question and text.
   * Matches become kept in the pool, with the reward of the list. All other pool rollouts of the same steps
   * become discarded.
   */
  'run.joinPool': defineMethod({
    params: z.object({ poolKey: z.string(), keptKey: z.string() }),
    result: resultOf<PoolJoinRow>(),
    runsOn: 'writer',
  }),
  'run.leavePool': defineMethod({
    params: z.object({ poolKey: z.string(), keptKey: z.string() }),
    result: resultOf<{ readonly left: boolean }>(),
    runsOn: 'writer',
  }),
  /**
   * Aligns the token ids of a run with its text by a tokenizer.json. Applies to rollouts read later. Progress
   * counts rollouts.
   */
  'run.setTokenizer': defineMethod({
    params: z.object({
      runKey: z.string(),
      path,
      progressKey: z.string().max(100).optional(),
    }),
    result: resultOf<AlignmentRow>(),
    runsOn: 'writer',
  }),
  'run.removeTokenizer': defineMethod({
    params: z.object({ runKey: z.string() }),
    result: resultOf<{ readonly removed: boolean }>(),
    runsOn: 'writer',
  }),
  /** Removes the run and all its data from the library. The logs are kept. */
  'run.remove': defineMethod({
    params: z.object({ runKey: z.string() }),
    result: resultOf<{ readonly rollouts: number; readonly files: number; readonly bytes: number }>(),
    runsOn: 'writer',
  }),
  'format.list': defineMethod({
    params: z.object({}),
    result: resultOf<readonly FormatRow[]>(),
    runsOn: 'host',
  }),
  /**
   * Files and directories whose path begins with `prefix`, below the paths that the user has opened. An empty prefix
   * lists those paths. Other paths are never listed, and the result does not reveal whether they exist.
   */
  'path.list': defineMethod({
    params: z.object({ prefix: pathPrefix }),
    result: resultOf<PathListing>(),
    runsOn: 'host',
  }),
  /** Detects what a file is, and why, without ingesting it. */
  'file.inspect': defineMethod({
    params: z.object({ path }),
    result: resultOf<FileInspection>(),
    runsOn: 'inspector',
  }),
  /** The first records as a mapping would read them. */
  'mapping.preview': defineMethod({
    params: z.object({ path, mapping: mappingSchema }),
    result: resultOf<MappingPreview>(),
    runsOn: 'inspector',
  }),
  'mapping.list': defineMethod({
    params: z.object({}),
    result: resultOf<readonly Mapping[]>(),
    runsOn: 'reader',
  }),
  'mapping.save': defineMethod({
    params: z.object({ mapping: mappingSchema }),
    result: resultOf<{ readonly saved: boolean }>(),
    runsOn: 'writer',
  }),
  'mapping.remove': defineMethod({
    params: z.object({ name: z.string() }),
    result: resultOf<{ readonly removed: boolean }>(),
    runsOn: 'writer',
  }),
  /**
   * Paths must have been granted by dialog, drop or argv. `mapping`: name of a saved mapping, for files of
   * any shape; they are read from their start.
   */
  'ingest.start': defineMethod({
    params: z.object({ paths: z.array(path).min(1).max(MOST_PATHS), mapping: z.string().optional() }),
    result: resultOf<{ readonly jobId: number }>(),
    runsOn: 'host',
  }),
  /**
   * Files that a cancelled, failed or killed ingest has left unread, at most 10,000. Then files that have grown since
   * they were read, of the 200 that changed last: uncompressed ones that the user has opened.
   */
  'ingest.unread': defineMethod({
    params: z.object({}),
    result: resultOf<readonly UnreadFile[]>(),
    runsOn: 'reader',
  }),
  /** Keeps reading new content below these paths. */
  'follow.start': defineMethod({
    params: z.object({ paths: z.array(path).min(1).max(MOST_PATHS) }),
    result: resultOf<readonly FollowRow[]>(),
    runsOn: 'host',
  }),
  'follow.stop': defineMethod({
    params: z.object({ path }),
    result: resultOf<readonly FollowRow[]>(),
    runsOn: 'host',
  }),
  'follow.list': defineMethod({
    params: z.object({}),
    result: resultOf<readonly FollowRow[]>(),
    runsOn: 'host',
  }),
  'ingest.demo': defineMethod({
    params: z.object({}),
    result: resultOf<{ readonly jobId: number }>(),
    runsOn: 'host',
  }),
  'ingest.cancel': defineMethod({
    params: z.object({ jobId: id }),
    result: resultOf<{ readonly cancelled: boolean }>(),
    runsOn: 'host',
  }),
  'ingest.jobs': defineMethod({
    params: z.object({}),
    result: resultOf<readonly IngestProgress[]>(),
    runsOn: 'host',
  }),
  /** Desktop only: shows the system dialog and returns the granted paths. Empty when dismissed. */
  'shell.openDialog': defineMethod({
    params: z.object({ kind: z.enum(['files', 'directory', 'library']) }),
    result: resultOf<{ readonly paths: readonly string[] }>(),
    runsOn: 'host',
  }),
  /**
   * Desktop only: shows a dialog in which the user enters the address of a warehouse and an account. The library with its
   * copies is open then. Without a result when dismissed.
   */
  'shell.openWarehouse': defineMethod({
    params: z.object({}),
    result: resultOf<{ readonly library?: string }>(),
    runsOn: 'host',
  }),
  /** Desktop only: asks the user, then opens an https link in the system browser. */
  'shell.openLink': defineMethod({
    params: z.object({ url: z.string() }),
    result: resultOf<{ readonly opened: boolean }>(),
    runsOn: 'host',
  }),
  'shell.recent': defineMethod({
    params: z.object({}),
    result: resultOf<{ readonly paths: readonly string[] }>(),
    runsOn: 'host',
  }),
} as const;
