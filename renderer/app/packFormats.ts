/** Formats of a failure pack in words: what each is for, and how its file is named. */
import type { PackFormat } from '../../shared/api/contract.ts';

export interface FormatWords {
  readonly label: string;
  readonly what: string;
  /** Of the file; a directory has none. */
  readonly ending: string;
  readonly takesTokens: boolean;
  readonly takesRaw: boolean;
}

export const FORMAT_WORDS: Readonly<Record<PackFormat, FormatWords>> = {
  html: {
    label: 'HTML',
    what: 'One page to read in any browser, without a network: outcome, turns, code, heat, labels and notes.',
    ending: '.html',
    takesTokens: true,
    takesRaw: false,
  },
  md: {
    label: 'Markdown',
    what: 'A report: a summary, then each case with its problem, the turns that matter, and notes.',
    ending: '.md',
    takesTokens: false,
    takesRaw: false,
  },
  jsonl: {
    label: 'JSONL',
    what: 'Everything: rollouts whole, annotations, labels. Turnwise opens it again.',
    ending: '.jsonl',
    takesTokens: true,
    takesRaw: true,
  },
  csv: {
    label: 'CSV',
    what: 'A line per annotation, for spreadsheets; the manifest lies beside it. Formulas in log text are made harmless.',
    ending: '.csv',
    takesTokens: false,
    takesRaw: false,
  },
  tsv: {
    label: 'TSV',
    what: 'As CSV, with tabs.',
    ending: '.tsv',
    takesTokens: false,
    takesRaw: false,
  },
  parquet: {
    label: 'Parquet',
    what: 'A directory: rollouts partitioned by run and step, and annotations, for DuckDB, Spark, pandas.',
    ending: '',
    takesTokens: true,
    takesRaw: false,
  },
  chat: {
    label: 'Chat JSONL',
    what: 'A conversation per line for training: right rollouts as they are, others with their suggested correction; the rest are left out and counted.',
    ending: '.chat.jsonl',
    takesTokens: false,
    takesRaw: false,
  },
};

/** The name with the ending of another format. */
export function renamed(path: string, from: PackFormat, to: PackFormat): string {
  const { ending } = FORMAT_WORDS[from];
  const bare = ending !== '' && path.endsWith(ending) ? path.slice(0, -ending.length) : path;
  return bare + FORMAT_WORDS[to].ending;
}
