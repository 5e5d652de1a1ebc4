/** Statements of the user over the warehouse that the environment names, and what they can ask. */
import { z } from 'zod';
import type { ExampleQuery, SqlSource } from '../../shared/api/contract.ts';
import { refused } from '../../shared/api/errors.ts';
import { Warehouse } from './connection.ts';
import type { NamedWarehouse } from './namedWarehouse.ts';

const VIEWS: Readonly<Record<string, string>> = {
  run: 'Runs, with their first and last step',
  load: 'Steps of a log that are there',
  rollout: 'Rollouts of all steps, with texts, tool calls and tokens',
  issue: 'What could not be read of the logs',
};

/** The views that are described to users, in the order above. */
export async function warehouseSchema(
  warehouse: Warehouse,
  signal?: AbortSignal,
): Promise<{ readonly sources: readonly SqlSource[]; readonly examples: readonly ExampleQuery[] }> {
  const columns = await warehouse.parsed(
    z.object({ table: z.string(), name: z.string(), type: z.string(), comment: z.string() }),
    `SELECT table, name, type, comment FROM system.columns
    WHERE database = currentDatabase() AND has({views:Array(String)}, table) ORDER BY table, position`,
    { views: Object.keys(VIEWS) },
    signal,
  );
  const sources = Object.entries(VIEWS).map(
    ([name, about]): SqlSource => ({
      ...{ name, kind: 'view', form: name, about },
      columns: columns
        .filter(({ table }) => table === name)
        .map((column) => ({
          name: column.name,
          about: [column.comment, column.type].filter(Boolean).join(' · '),
        })),
    }),
  );
  return { sources, examples: EXAMPLES };
}

const EXAMPLES: readonly ExampleQuery[] = [
  {
    name: 'Reward and failed calls by step',
    about: 'Does the reward rise while calls fail less often?',
    sql: `SELECT run, step, avg(reward) AS reward, countIf(tool_errors > 0) / count() AS with_failed_calls, count() AS rollouts
FROM rollout
GROUP BY run, step
ORDER BY run, step`,
  },
  {
    name: 'Rollouts with two words',
    about: 'Where does the policy change its mind? A row opens its rollout.',
    sql: `SELECT run, step, \`group\`, \`index\`, reward, problem
FROM rollout
WHERE hasAllTokens(lower(response), ['wait', 'actually'])
LIMIT 100`,
  },
  {
    name: 'Problems that are never solved',
    about: 'Which problems have many rollouts and no correct one?',
    sql: `SELECT run, problem, count() AS rollouts, countIf(is_correct) AS correct
FROM rollout
WHERE is_correct IS NOT NULL
GROUP BY run, problem
HAVING correct = 0
ORDER BY rollouts DESC
LIMIT 100`,
  },
];

/** Rows of a result. The first part has the names of the columns. */
interface ResultPart {
  readonly columns?: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/**
 * Runs in the process of the SQL console. Numbers of 64 bits are numbers if a double is exact, else bigint; lists, tuples
 * and maps are JSON.
 *
 * @param timeoutMs after which the server stops
 * @throws ApiError `refused` with the server's words
 */
export async function* warehouseResult(
  named: NamedWarehouse,
  sql: string,
  timeoutMs: number,
): AsyncGenerator<ResultPart> {
  if (FORMAT.test(sql))
    throw refused('leave out FORMAT; the result is shown here, and saved in a format below it');
  const warehouse = new Warehouse(named.address, { ...named, isReadOnly: true });
  let columns: readonly string[] | undefined;
  let types: readonly string[] | undefined;
  try {
    const settings = {
      max_execution_time: Math.max(1, Math.ceil(timeoutMs / 1000)),
      // A double would round them.
      output_format_json_quote_64bit_integers: 1 as const,
    };
    for await (const lines of warehouse.result(sql, settings)) {
      const rows: (readonly unknown[])[] = [];
      for (const line of lines) {
        if (columns === undefined) {
          columns = line.map(String);
          if (columns.length > MOST_COLUMNS)
            throw refused(
              `the result has ${columns.length.toLocaleString('en')} columns; the limit is ${MOST_COLUMNS.toLocaleString('en')}`,
            );
        } else if (types === undefined) {
          types = line.map(String);
          yield { columns, rows: [] };
        } else {
          const ofColumns = types;
          rows.push(line.map((value, i) => shownValue(value, ofColumns[i] ?? '')));
        }
      }
      if (rows.length > 0) yield { rows };
    }
  } finally {
    await warehouse.close();
  }
}

/** As many as SQLite has. A page shows all of them. */
const MOST_COLUMNS = 2_000;
/** The clause, and not a column of this name by which is sorted. */
const FORMAT = /\bFORMAT\s+(?!(?:ASC|DESC)\b)\w+\s*;?\s*$/i;
const LONG = /^(?:LowCardinality\()?(?:Nullable\()?U?Int(?:64|128|256)\b/;

function shownValue(value: unknown, type: string): unknown {
  if (typeof value === 'string' && LONG.test(type) && /^-?\d{1,80}$/.test(value)) {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : BigInt(value);
  }
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
