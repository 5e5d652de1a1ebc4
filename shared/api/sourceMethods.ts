/** Where rollouts come from: files, formats, mappings, what a run is made of, ingest, and the shell around it. */
import { z } from 'zod';
import { MAPPING_FIELDS, MAPPING_VERSION, type Mapping } from '../format/mapping.ts';
import { id } from './paramTypes.ts';
import type { FileRow, IngestProgress, IssueRow } from './rows.ts';
import type {
  AlignmentRow,
  FileInspection,
  FollowRow,
  FormatRow,
  MappingPreview,
  PoolJoinRow,
  ProblemPlace,
  RunSources,
} from './sourceRows.ts';

const mappingSchema = z.object({
  version: z.literal(MAPPING_VERSION),
  name: z.string().trim().min(1).max(200),
  shape: z.array(z.string()).max(1000),
  rollouts: z.string().max(1000).optional(),
  fields: z.partialRecord(z.enum(MAPPING_FIELDS), z.string().max(1000)),
});

export const SOURCE_PARAMS = {
  /** Equal caveats of a file are one row. `after`: rows passed over. */
  'issue.list': z.object({
    runId: id.optional(),
    code: z.string().optional(),
    after: id.default(0),
    limit: z.int().positive().max(1000).default(200),
  }),
  'file.list': z.object({ runId: id.optional() }),
  /** Groups of the same problem at other steps and in other runs, recognised by its normalised question. */
  'problem.places': z.object({ groupId: id, limit: z.int().positive().max(1000).default(200) }),
  /** What a run is made of: files, directories, joins, and the rules that made its groups. */
  'run.sources': z.object({ runKey: z.string() }),
  /** `log`: as the log says. Rollouts of the run are put into other groups, and those read later too. */
  'run.setGroupRule': z.object({
    runKey: z.string(),
    rule: z.enum(['log', 'prompt', 'order']),
    /** Rollouts per group, with `order`. */
    size: z.int().positive().max(100_000).optional(),
  }),
  /** Directories given the same name are one run; null: the directory is a run of its own again. Their files are read anew. */
  'run.setName': z.object({ directory: z.string(), name: z.string().trim().min(1).max(200).nullable() }),
  /**
   * `keptKey` lists the rollouts that were kept of the pool `poolKey`: found by step, question and text, they become
   * kept in the pool, with the reward the list knows; all others of the same steps become discarded.
   */
  'run.joinPool': z.object({ poolKey: z.string(), keptKey: z.string() }),
  'run.leavePool': z.object({ poolKey: z.string(), keptKey: z.string() }),
  /** Places token ids on the text of a run with a tokenizer.json; for what is read later, too. Progress counts rollouts. */
  'run.setTokenizer': z.object({
    runKey: z.string(),
    path: z.string(),
    progressKey: z.string().max(100).optional(),
  }),
  'run.removeTokenizer': z.object({ runKey: z.string() }),
  /** Removes the run and everything read for it from the library; the logs stay. */
  'run.remove': z.object({ runKey: z.string() }),
  'format.list': z.object({}),
  /** What a file is and why, without reading it into the library. */
  'file.inspect': z.object({ path: z.string() }),
  /** The first records as a mapping would read them. */
  'mapping.preview': z.object({ path: z.string(), mapping: mappingSchema }),
  'mapping.list': z.object({}),
  'mapping.save': z.object({ mapping: mappingSchema }),
  'mapping.remove': z.object({ name: z.string() }),
  /** Paths must have been granted by dialog, drop or argv. `mapping`: name of a saved one, for files of any shape. */
  'ingest.start': z.object({ paths: z.array(z.string()).min(1), mapping: z.string().optional() }),
  /** Keeps reading what appears below these paths. */
  'follow.start': z.object({ paths: z.array(z.string()).min(1) }),
  'follow.stop': z.object({ path: z.string() }),
  'follow.list': z.object({}),
  'ingest.demo': z.object({}),
  'ingest.cancel': z.object({ jobId: id }),
  'ingest.jobs': z.object({}),
  /** Desktop only: shows the system dialog; resolves to the granted paths, empty when dismissed. */
  'shell.openDialog': z.object({ kind: z.enum(['files', 'directory', 'library']) }),
  /** Desktop only: asks the user, then opens an https link in the system browser. */
  'shell.openLink': z.object({ url: z.string() }),
  'shell.recent': z.object({}),
} as const;

export interface SourceResults {
  'issue.list': { readonly issues: readonly IssueRow[]; readonly total: number; readonly next?: number };
  'file.list': readonly FileRow[];
  'problem.places': { readonly places: readonly ProblemPlace[]; readonly total: number };
  'run.sources': RunSources;
  'run.setGroupRule': { readonly groups: number };
  'run.setName': { readonly jobId: number };
  'run.joinPool': PoolJoinRow;
  'run.leavePool': { readonly left: boolean };
  'run.setTokenizer': AlignmentRow;
  'run.removeTokenizer': { readonly removed: boolean };
  'run.remove': { readonly rollouts: number; readonly files: number; readonly bytes: number };
  'format.list': readonly FormatRow[];
  'file.inspect': FileInspection;
  'mapping.preview': MappingPreview;
  'mapping.list': readonly Mapping[];
  'mapping.save': { readonly saved: boolean };
  'mapping.remove': { readonly removed: boolean };
  'follow.start': readonly FollowRow[];
  'follow.stop': readonly FollowRow[];
  'follow.list': readonly FollowRow[];
  'ingest.start': { readonly jobId: number };
  'ingest.demo': { readonly jobId: number };
  'ingest.cancel': { readonly cancelled: boolean };
  'ingest.jobs': readonly IngestProgress[];
  'shell.openDialog': { readonly paths: readonly string[] };
  'shell.openLink': { readonly opened: boolean };
  'shell.recent': { readonly paths: readonly string[] };
}
