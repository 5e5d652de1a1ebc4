/** Frequent values of a word field in a run, for completion. */
import type { FrequentValue, ParsedParams } from '../../shared/api/contract.ts';
import { type AnnotationField, isAnnotationField } from '../../shared/domain/filter/fields.ts';
import { bitOf, FLAGS } from '../../shared/domain/flags.ts';
import { TOOL_OUTCOMES } from '../../shared/domain/model.ts';
import { camelCase } from '../../shared/domain/rolloutFieldRecord.ts';
import { parseScores } from '../../shared/domain/scores.ts';
import type { Checkpoint } from '../threads/task.ts';
import type { RunTable } from './columnStore.ts';
import { codedTexts, isCoded } from './fieldColumns.ts';
import type { StepTable } from './stepTable.ts';

type Question = Omit<ParsedParams<'filter.values'>, 'runId'>;

/** Values or names that begin with the typed text come first, then those that contain it, each by frequency. */
export function frequentValues(
  run: RunTable,
  { field, prefix, limit }: Question,
  checkpoint: Checkpoint,
): readonly FrequentValue[] {
  const counts = new Map<string, number>();
  const add = (text: string | null | undefined, by: number): void => {
    if (text !== null && text !== undefined) counts.set(text, (counts.get(text) ?? 0) + by);
  };
  if (isAnnotationField(field)) {
    for (const [text, rollouts] of run.annotations().counts(field, run.runId)) add(text, rollouts);
  } else {
    run.steps.forEach((table, i) => {
      checkpoint(i, run.steps.length);
      for (const [text, rollouts] of countsOf(run, table, field)) add(text, rollouts);
    });
  }
  const wanted = prefix.toLowerCase();
  const values = [...counts].map(([text, rollouts]) => {
    const name = field === 'label' ? run.annotations().nameOf(text) : undefined;
    const places = [text, name ?? text]
      .map((each) => each.toLowerCase().indexOf(wanted))
      .filter((at) => at >= 0);
    return { value: { text, rollouts, ...(name === undefined ? {} : { name }) }, at: Math.min(...places) };
  });
  return values
    .filter(({ at }) => Number.isFinite(at))
    .sort(
      ({ value: a, at: aAt }, { value: b, at: bAt }) =>
        Number(aAt > 0) - Number(bAt > 0) || b.rollouts - a.rollouts || (a.text < b.text ? -1 : 1),
    )
    .slice(0, limit)
    .map(({ value }) => value);
}

function countsOf(
  run: RunTable,
  table: StepTable,
  field: Exclude<Question['field'], AnnotationField>,
): Iterable<readonly [string | null | undefined, number]> {
  if (field === 'scores') {
    const each = table.dictionary('scores').map((json) => Object.entries(parseScores(json)));
    return [...byCode(table.column('scores'), (code) => String(code))].flatMap(([code, rollouts]) =>
      (each[Number(code) - 1] ?? []).map(([name, value]) => [`${name}=${value}`, rollouts] as const),
    );
  }
  if (isCoded(field)) {
    const texts = codedTexts(table, field);
    return byCode(table.column(camelCase(field)), (code) => texts[code - 1]);
  }
  switch (field) {
    case 'tool': {
      const sets = table.dictionary('tools').map((tools) => JSON.parse(tools) as string[]);
      return [...byCode(table.column('tools'), (code) => String(code))].flatMap(([code, rollouts]) =>
        (sets[Number(code) - 1] ?? []).map((tool) => [tool, rollouts] as const),
      );
    }
    case 'flag': {
      const flags = table.column('flags');
      return FLAGS.map(
        (flag) => [flag, countWhere(flags, (bits) => Number((bits & bitOf(flag)) !== 0))] as const,
      );
    }
    case 'outcome': {
      const outcomes = table.column('outcomes');
      return TOOL_OUTCOMES.map(
        (outcome, bit) => [outcome, countWhere(outcomes, (bits) => (bits >> bit) & 1)] as const,
      );
    }
    default: {
      const groups = run.groups();
      return byCode(table.column('groupId'), (groupId) => {
        return groups.get(groupId)?.[camelCase(field)];
      });
    }
  }
}

function countWhere(column: ArrayLike<number>, isOne: (value: number) => number): number {
  let count = 0;
  for (let i = 0; i < column.length; i++) count += isOne(column[i] ?? 0);
  return count;
}

function* byCode(
  column: ArrayLike<number>,
  textOf: (code: number) => string | null | undefined,
): Generator<readonly [string | null | undefined, number]> {
  const counts = new Map<number, number>();
  for (let i = 0; i < column.length; i++) {
    const code = column[i] ?? 0;
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  for (const [code, rollouts] of counts) {
    if (code === 0) continue;
    yield [textOf(code), rollouts];
  }
}
