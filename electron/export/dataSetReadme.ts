/** Writes the README.md of a data set. */
import { type ColumnType, DATA_SET_COLUMNS } from '../../shared/format/dataSetColumns.ts';
import { DATA_SET_QUERIES } from '../storage/exampleQueries.ts';

const TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'string',
  json: 'string (JSON)',
  integer: 'int32',
  number: 'double',
  boolean: 'boolean',
  integers: 'list of int32',
  numbers: 'list of float',
  segments: 'list of struct (kind string; turn, start, end, inner_start, inner_end int32)',
  calls:
    'list of struct (name, outcome, latency_source, worker string; latency_ms, queue_ms, started_at double; call, response int32)',
};

export function dataSetReadme(runKeys: readonly string[]): string {
  const rows = DATA_SET_COLUMNS.map(({ name, type, note }) => `| \`${name}\` | ${TYPES[type]} | ${note} |`);
  const queries = Object.entries(DATA_SET_QUERIES)
    .map(([name, sql]) => `-- ${name}\n${sql}`)
    .join('\n');
  return `# Rollouts, written by Turnwise

\`rollouts/run=…/step=…/part-0.parquet\` has one row per rollout, with Hive partitions: run and step are in the path, not in
the files. \`runs/\` has run, stages and metrics of each run as lines of the Turnwise log. Turnwise can read this
directory back.

\`\`\`sql
${queries}
\`\`\`

\`\`\`python
pandas.read_parquet("rollouts")          # run and step become columns
spark.read.parquet("rollouts")
\`\`\`

The path contains the run's key with Hive's escapes (\`%2F\` is a slash). ClickHouse shows the escapes; the other tools decode them.

Runs: ${runKeys.map((key) => `\`${key}\``).join(', ')}

Offsets are UTF-16 code units. Null means unknown, never 0.

| column | type | meaning |
|---|---|---|
${rows.join('\n')}
`;
}
