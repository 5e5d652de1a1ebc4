/** Columns of the fields of the filter language. */
import type { NumberField } from '../../shared/domain/filter/fields.ts';
import { camelCase, type RolloutFieldWith } from '../../shared/domain/rolloutFieldRecord.ts';
import { ROLLOUT_FIELDS, type RolloutFieldName } from '../../shared/domain/rolloutFields.ts';
import { type DictionaryField, UNKNOWN_I32 } from '../storage/columnNames.ts';
import type { RunTable } from './columnStore.ts';
import type { StepTable } from './stepTable.ts';

/** Numbers, with NaN for unknown in every encoding. */
export function numbersOf(run: RunTable, table: StepTable, field: NumberField): ArrayLike<number> {
  switch (field) {
    case 'step':
      return new Float64Array(table.count).fill(run.hasSteps ? table.step : Number.NaN);
    case 'pass_rate':
      return passRates(run, table);
    case 'repeats':
      return repeats(table);
    default:
      return known(table.column(camelCase(field)));
  }
}

/** Word fields with a code column. */
export type CodedField = DictionaryField | RolloutFieldWith<{ column: 'code' }>;

export function isCoded(field: RolloutFieldName): field is CodedField {
  const record = ROLLOUT_FIELDS[field];
  return 'column' in record && (record.column === 'code' || record.column === 'dictionary');
}

/** The texts for a column's codes. The first text has code 1. */
export function codedTexts(table: StepTable, field: CodedField): readonly string[] {
  const record = ROLLOUT_FIELDS[field];
  return record.column === 'code' ? record.oneOf : table.dictionary(camelCase(field as DictionaryField));
}

function known(column: ArrayLike<number>): ArrayLike<number> {
  if (!(column instanceof Int32Array)) return column;
  const numbers = Float64Array.from(column);
  for (let i = 0; i < numbers.length; i++) if (numbers[i] === UNKNOWN_I32) numbers[i] = Number.NaN;
  return numbers;
}

/** Number of calls per rollout that repeat an earlier call's text. NaN without a text. */
function repeats(table: StepTable): Float64Array {
  const counts = Float64Array.from(table.column('toolCalls'), (calls) =>
    calls === UNKNOWN_I32 ? Number.NaN : 0,
  );
  const callRollout = table.column('callRollout');
  const callRepeat = table.column('callRepeat');
  for (let call = 0; call < callRollout.length; call++) {
    const i = callRollout[call] ?? 0;
    counts[i] = (counts[i] ?? 0) + (callRepeat[call] ?? 0);
  }
  return counts;
}

/** Pass rate of each rollout's group, over rollouts whose correctness is known. */
function passRates(run: RunTable, table: StepTable): Float64Array {
  const groups = run.groups();
  const rates = new Float64Array(table.count);
  const groupId = table.column('groupId');
  let lastId = -1;
  let last = Number.NaN;
  for (let i = 0; i < rates.length; i++) {
    const id = groupId[i] ?? 0;
    if (id !== lastId) {
      const facts = groups.get(id);
      last =
        facts === undefined || facts.correctKnown === 0 ? Number.NaN : facts.correct / facts.correctKnown;
      lastId = id;
    }
    rates[i] = last;
  }
  return rates;
}
