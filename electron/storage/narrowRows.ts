/**
 * Inserts many rows per statement, because most of a narrow row's cost is the call into SQLite. Rows are
 * buffered across the rollouts of a batch, with ids given here. Call `flush` before reading these tables.
 */
import type { WritableLibrary } from './open.ts';

type Value = number | string | null;

/** Number of columns in table order, or the names of the columns that are written. */
const TABLES = {
  ...{ segment_row: 8, turn_row: 6, tool_call_row: 13, flag_row: 5, timing_row: 5 },
  ...{ prompt_row: 8, prompt_segment_row: 7, problem_row: 7 },
  // The group's sums are written later.
  group_row: ['group_id', 'run_id', 'step', 'group_key', 'problem_no', 'rule', 'pool'],
} as const satisfies Readonly<Record<string, number | readonly string[]>>;
const ROWS_PER_INSERT = 32;

class NarrowTable {
  private readonly one;
  private readonly many;
  private readonly columns: number;
  private waiting: Value[] = [];

  constructor(db: WritableLibrary, name: keyof typeof TABLES) {
    const columns = TABLES[name];
    this.columns = typeof columns === 'number' ? columns : columns.length;
    const into = typeof columns === 'number' ? name : `${name} (${columns.join(', ')})`;
    const row = `(${new Array(this.columns).fill('?').join(', ')})`;
    const rows = (count: number): string => new Array(count).fill(row).join(', ');
    // Binding one array takes less time than binding many arguments.
    this.one = db.prepare<[readonly Value[]]>(`INSERT INTO ${into} VALUES ${rows(1)}`);
    this.many = db.prepare<[readonly Value[]]>(`INSERT INTO ${into} VALUES ${rows(ROWS_PER_INSERT)}`);
  }

  add(...row: readonly Value[]): void {
    for (const value of row) this.waiting.push(value);
    if (this.waiting.length < this.columns * ROWS_PER_INSERT) return;
    this.many.run(this.waiting);
    this.waiting = [];
  }

  flush(): void {
    for (let at = 0; at < this.waiting.length; at += this.columns)
      this.one.run(this.waiting.slice(at, at + this.columns));
    this.waiting = [];
  }

  drop(): void {
    this.waiting = [];
  }
}

export class NarrowRows {
  readonly segments: NarrowTable;
  readonly turns: NarrowTable;
  readonly calls: NarrowTable;
  readonly flags: NarrowTable;
  readonly timings: NarrowTable;
  readonly prompts: NarrowTable;
  readonly promptSegments: NarrowTable;
  readonly problems: NarrowTable;
  readonly groups: NarrowTable;
  private readonly tables: readonly NarrowTable[];

  constructor(db: WritableLibrary) {
    this.segments = new NarrowTable(db, 'segment_row');
    this.turns = new NarrowTable(db, 'turn_row');
    this.calls = new NarrowTable(db, 'tool_call_row');
    this.flags = new NarrowTable(db, 'flag_row');
    this.timings = new NarrowTable(db, 'timing_row');
    this.prompts = new NarrowTable(db, 'prompt_row');
    this.promptSegments = new NarrowTable(db, 'prompt_segment_row');
    this.problems = new NarrowTable(db, 'problem_row');
    this.groups = new NarrowTable(db, 'group_row');
    this.tables = [
      ...[this.segments, this.turns, this.calls, this.flags, this.timings],
      ...[this.prompts, this.promptSegments, this.problems, this.groups],
    ];
  }

  /** Drops the rows that a failed batch has left in the buffer. */
  begin(): void {
    for (const table of this.tables) table.drop();
  }

  flush(): void {
    for (const table of this.tables) table.flush();
  }
}
