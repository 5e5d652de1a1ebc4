/** Fields, paths and rows of the mapping preview. */
import type { MappingPreview, ParamsOf, PreviewRollout } from '../../../shared/api/contract.ts';
import { isObject } from '../../../shared/format/fields.ts';
import {
  MAPPING_FIELDS,
  type MappedRole,
  type Mapping,
  type MappingField,
} from '../../../shared/format/mapping.ts';
import { type MessageKeys, messageKeys } from '../../../shared/format/mappingProposal.ts';
import { usualRole, withUsualNames } from '../../../shared/format/messageShape.ts';
import { type PathStep, parsePath, valueAt, writePath } from '../../../shared/format/recordPath.ts';
import { GROUP_RULES } from '../../data/domainLabels.ts';
import { counted } from '../../ui/numbers.ts';

/** `rollouts` is not a field of a rollout, but the path of the list of rollouts in a record. */
export type Target = MappingField | 'rollouts';

interface FieldText {
  readonly field: Target;
  readonly label: string;
  readonly hint: string;
}

export interface FieldGroup {
  readonly title: string;
  readonly hint: string;
  readonly fields: readonly FieldText[];
}

export const FIELD_GROUPS: readonly FieldGroup[] = [
  {
    title: 'Text',
    hint: 'messages, or prompt and response',
    fields: [
      { field: 'messages', label: 'messages', hint: 'A list of chat messages: the whole rollout' },
      {
        field: 'messageRole',
        label: 'message role',
        hint: 'Inside a message: its author. Leave it empty if the key is role',
      },
      {
        field: 'messageText',
        label: 'message text',
        hint: 'Inside a message: its text. Leave it empty if the key is content',
      },
      { field: 'prompt', label: 'prompt', hint: 'What the policy was asked: text, or a list of messages' },
      { field: 'response', label: 'response', hint: 'What it wrote: text, or a list of messages' },
      {
        field: 'rollouts',
        label: 'list of rollouts',
        hint: 'If one record holds several rollouts: the list of them. Other fields are looked up in each element, then in the record',
      },
    ],
  },
  {
    title: 'Outcome',
    hint: '',
    fields: [
      { field: 'reward', label: 'reward', hint: 'A number' },
      { field: 'isCorrect', label: 'correct', hint: 'true/false or 1/0' },
      { field: 'groundTruth', label: 'ground truth', hint: 'The expected answer' },
      { field: 'answer', label: 'answer', hint: 'The answer as the trainer extracted it' },
      { field: 'stopReason', label: 'stop reason', hint: 'Why sampling ended' },
      { field: 'kept', label: 'kept', hint: 'Whether it entered the update: true/false or 1/0' },
      { field: 'advantage', label: 'advantage', hint: 'A number' },
    ],
  },
  {
    title: 'Position',
    hint: 'where it belongs',
    fields: [
      {
        field: 'group',
        label: 'prompt group',
        hint: 'An id shared by the rollouts of a group. Without it, rollouts of one problem form a group, and without a problem those of equal prompt',
      },
      { field: 'problem', label: 'problem', hint: 'A stable id of the task' },
      { field: 'ordinal', label: 'position', hint: 'Position in the group, from 0' },
      { field: 'step', label: 'step', hint: 'Training step, a whole number' },
      { field: 'split', label: 'split', hint: '"eval" marks an evaluation' },
      { field: 'run', label: 'run', hint: 'Name or id of the run' },
      {
        field: 'joinKey',
        label: 'join key',
        hint: 'A key that records of another file about the same rollout have, too. Records without messages or response are joined by it',
      },
    ],
  },
  {
    title: 'Tokens',
    hint: 'lists, one entry per response token',
    fields: [
      { field: 'tokenTexts', label: 'texts', hint: 'The text of each token' },
      { field: 'tokenIds', label: 'ids', hint: 'The id of each token' },
      { field: 'tokenMask', label: 'loss mask', hint: '1: sampled by the policy' },
      { field: 'tokenLogprobs', label: 'log-probabilities', hint: 'Natural logarithm, of the sampled token' },
      { field: 'tokenEntropies', label: 'entropies', hint: 'Of the whole next-token distribution, in nats' },
    ],
  },
];

export const labelOf = (target: Target): string =>
  FIELD_GROUPS.flatMap((group) => group.fields).find((one) => one.field === target)?.label ?? target;

export const pathOf = (mapping: Mapping, target: Target): string | undefined =>
  target === 'rollouts' ? mapping.rollouts : mapping.fields[target];

export function withPath(mapping: Mapping, target: Target, path: string | undefined): Mapping {
  const wanted = path === '' ? undefined : path;
  if (target === 'rollouts') {
    const { rollouts: _former, ...rest } = mapping;
    return wanted === undefined ? rest : { ...rest, rollouts: wanted };
  }
  const { [target]: _former, ...fields } = mapping.fields;
  return { ...mapping, fields: wanted === undefined ? fields : { ...fields, [target]: wanted } };
}

/** Fields whose path begins in a message. */
const isInMessage = (target: Target): boolean => target === 'messageRole' || target === 'messageText';

/**
 * The path for a field when a value is clicked. Inside the list of rollouts it is relative to the list's element, and for
 * the role and the text of messages to the message.
 */
export function pickedPath(mapping: Mapping, target: Target, steps: readonly PathStep[]): string {
  if (isInMessage(target))
    return writePath(steps.slice(steps.findLastIndex((step) => typeof step === 'number') + 1));
  const list = target === 'rollouts' ? undefined : parsePath(mapping.rollouts ?? '');
  if (list === undefined || list.length === 0 || steps.length <= list.length + 1) return writePath(steps);
  return writePath(insideOf(list, steps) ?? steps);
}

/** The rest of a path that leads into an element of this list. Undefined if it does not. */
function insideOf(list: readonly PathStep[], steps: readonly PathStep[]): readonly PathStep[] | undefined {
  const isInside = list.every((step, i) => step === steps[i]) && typeof steps[list.length] === 'number';
  return isInside ? steps.slice(list.length + 1) : undefined;
}

/** A mapping whose rollout list was changed, and the effects on its other fields. */
export interface MovedList {
  readonly mapping: Mapping;
  /** Fields whose path is now relative to an element of the new list, or no longer relative to one. */
  readonly moved: readonly Target[];
  /** Fields whose value does not exist in the new list, with their former path. */
  readonly emptied: readonly { readonly field: Target; readonly path: string }[];
}

/**
 * Changes the list of rollouts. A path into the old list is kept relative to the new one if an element has that path,
 * and is cleared otherwise.
 * @param former the list that the paths are relative to, or were before it was cleared
 * @param records determine which paths exist
 */
export function withList(
  mapping: Mapping,
  former: string | undefined,
  path: string,
  records: readonly unknown[],
): MovedList {
  const listed = withPath(mapping, 'rollouts', path);
  const before = parsePath(former ?? '') ?? [];
  const list = parsePath(path) ?? [];
  const has = (steps: readonly PathStep[]) => records.some((record) => valueAt(record, steps) !== undefined);
  const moved: Target[] = [];
  const emptied: { field: Target; path: string }[] = [];
  let next = listed;
  for (const field of MAPPING_FIELDS) {
    if (isInMessage(field)) continue;
    const old = mapping.fields[field] ?? '';
    const steps = parsePath(old) ?? [];
    if (steps.length === 0) continue;
    const to = movedPath(steps, before, list, has);
    if (to === undefined) emptied.push({ field, path: old });
    else if (writePath(to) !== writePath(steps)) moved.push(field);
    else continue;
    next = withPath(next, field, to === undefined ? undefined : writePath(to));
  }
  return { mapping: next, moved, emptied };
}

/** One sentence for each kind of change. */
export function movedText({ mapping, moved, emptied }: MovedList): string {
  const list = mapping.rollouts;
  const names = moved.map(labelOf).join(', ');
  const gone = emptied.map(({ field, path }) => `${labelOf(field)} (was ${path})`).join(', ');
  return [
    ...(names === '' ? [] : [`Paths changed with the list of rollouts: ${names}.`]),
    ...(gone === '' ? [] : [`Emptied, because no element of ${list} has that value: ${gone}.`]),
  ].join(' ');
}

/** @returns undefined if the path leads into the old list and the new list has no such value */
function movedPath(
  steps: readonly PathStep[],
  before: readonly PathStep[],
  list: readonly PathStep[],
  has: (steps: readonly PathStep[]) => boolean,
): readonly PathStep[] | undefined {
  const inNew = list.length === 0 ? undefined : insideOf(list, steps);
  if (inNew !== undefined && inNew.length > 0) return inNew;
  const written = before.length === 0 ? undefined : insideOf(before, steps);
  const isRelative = written === undefined && before.length > 0 && has([...before, 0, ...steps]);
  const relative = written ?? (isRelative ? steps : undefined);
  if (relative === undefined || relative.length === 0) return steps;
  if (list.length === 0) return [...before, 0, ...relative];
  if (has([...list, 0, ...relative])) return relative;
  return isRelative && has(steps) ? steps : undefined;
}

/** A list in the record of which only one element is read. */
export interface SkippedList {
  readonly path: string;
  /** The most elements that have the mapped value, in any of the records. */
  readonly elements: number;
  /** Set if the elements look like the messages of one rollout. */
  readonly messages?: MessageKeys;
}

/**
 * The list of objects that the path of the response or the messages takes one element of, if no list of rollouts is
 * set. Each element is probably a rollout, unless it looks like a message.
 */
export function skippedList(mapping: Mapping, records: readonly unknown[]): SkippedList | undefined {
  if ((mapping.rollouts ?? '') !== '') return undefined;
  const steps = parsePath(mapping.fields.messages ?? mapping.fields.response ?? '') ?? [];
  const index = steps.findIndex((step) => typeof step === 'number');
  if (index < 1) return undefined;
  const inside = steps.slice(index + 1);
  const sizes = records.map((record) => {
    const list = valueAt(record, steps.slice(0, index));
    if (!Array.isArray(list) || !list.every(isObject) || withUsualNames(list) !== undefined) return 0;
    return list.filter((element) => valueAt(element, inside) !== undefined).length;
  });
  const elements = Math.max(0, ...sizes);
  if (elements < 2) return undefined;
  const path = steps.slice(0, index);
  const [messages] = records.flatMap((record) => messageKeys(valueAt(record, path)) ?? []);
  return { path: writePath(path), elements, ...(messages === undefined ? {} : { messages }) };
}

/** The change that a click on a value makes. */
export interface Pick {
  readonly path: string;
  /** Other fields that the value sets as well. */
  readonly keys?: MessageKeys;
  /** One sentence about it. */
  readonly said: string;
}

/** The path that a clicked value gives a field, with the keys of its messages if it is a list of them. */
export function pickOf(mapping: Mapping, target: Target, steps: readonly PathStep[], value: unknown): Pick {
  const path = pickedPath(mapping, target, steps);
  const former = pathOf(mapping, target);
  const said =
    former === undefined || former === path
      ? `${labelOf(target)} is ${path}.`
      : `${labelOf(target)} was ${former} and is now ${path}.`;
  const keys = target === 'messages' ? messageKeys(value) : undefined;
  return { path, said, ...(keys === undefined ? {} : { keys }) };
}

/** The mapping that reads a list as the messages of one rollout. */
export function withMessages(mapping: Mapping, path: string, { role, text }: MessageKeys): Mapping {
  const { prompt: _prompt, response: _response, ...fields } = mapping.fields;
  return { ...mapping, fields: { ...fields, messages: path, messageRole: role, messageText: text } };
}

/** The messages of the first rollout of a record. Undefined if the mapping leads to no list of objects. */
function messagesOf(record: unknown, mapping: Mapping): readonly unknown[] | undefined {
  const [list] = [valueFor(record, mapping, 'messages'), valueFor(record, mapping, 'response')].filter(
    (value): value is readonly unknown[] => Array.isArray(value) && value.some(isObject),
  );
  return list;
}

/** A role in the log, and what it stands for. */
export interface RoleMeaning {
  readonly word: string;
  /** Undefined: unknown to Turnwise, and not chosen. It is read as the user. */
  readonly role: MappedRole | undefined;
}

const MOST_ROLES = 12;

/** The roles in these records that Turnwise does not know, or that the mapping names. */
export function roleMeanings(mapping: Mapping, records: readonly unknown[]): readonly RoleMeaning[] {
  const steps = parsePath(mapping.fields.messageRole ?? '') ?? [];
  if (steps.length === 0) return [];
  const words = new Set(
    records.flatMap((record) =>
      (messagesOf(record, mapping) ?? []).flatMap((message) => {
        const value = valueAt(message, steps);
        return typeof value === 'string' || typeof value === 'number' ? [`${value}`] : [];
      }),
    ),
  );
  const { roles = {} } = mapping;
  return [...words]
    .filter((word) => Object.hasOwn(roles, word) || usualRole(word) === undefined)
    .slice(0, MOST_ROLES)
    .map((word) => ({ word, role: Object.hasOwn(roles, word) ? roles[word] : undefined }));
}

export const withRole = (mapping: Mapping, word: string, role: MappedRole): Mapping => ({
  ...mapping,
  roles: { ...mapping.roles, [word]: role },
});

/** Whether a path leads to a list in one of these records. An unfinished path usually does not. */
export function leadsToList(path: string, records: readonly unknown[]): boolean {
  const steps = parsePath(path) ?? [];
  return steps.length > 0 && records.some((record) => Array.isArray(valueAt(record, steps)));
}

/** Other fields that take their value from the same path. */
export function sharersOf(mapping: Mapping, target: Target): readonly Target[] {
  const path = normalized(pathOf(mapping, target));
  if (path === '') return [];
  return FIELD_GROUPS.flatMap((group) => group.fields)
    .map(({ field }) => field)
    .filter((field) => field !== target && normalized(pathOf(mapping, field)) === path);
}

const normalized = (path = ''): string => writePath(parsePath(path) ?? []);

/** The value at a field's path: in the first rollout of a record, in its first message, or in the record itself. */
export function valueFor(record: unknown, mapping: Mapping, target: Target): unknown {
  const steps = parsePath(pathOf(mapping, target) ?? '');
  if (steps === undefined || steps.length === 0) return undefined;
  if (isInMessage(target)) return valueAt(messagesOf(record, mapping)?.find(isObject), steps);
  const list = parsePath(mapping.rollouts ?? '');
  if (target !== 'rollouts' && list !== undefined && list.length > 0) {
    const inside = valueAt(record, [...list, 0, ...steps]);
    if (inside !== undefined) return inside;
  }
  return valueAt(record, steps);
}

/** The reason why a path is invalid. Undefined if it is valid. */
export function pathFault(path: string): string | undefined {
  return parsePath(path) === undefined ? 'not a path: write it like meta.step or turns[0].text' : undefined;
}

const NUMBERS: ReadonlySet<Target> = new Set(['reward', 'advantage', 'step', 'ordinal']);
const LISTS: ReadonlySet<Target> = new Set([
  ...(['messages', 'rollouts', 'tokenTexts', 'tokenIds', 'tokenMask'] as const),
  ...(['tokenLogprobs', 'tokenEntropies'] as const),
]);

/** The reason why a value cannot be this field. Undefined if it can, or if there is no value to judge. */
export function unfitReason(target: Target, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const is = Array.isArray(value)
    ? 'a list'
    : isObject(value)
      ? 'an object'
      : typeof value === 'string'
        ? 'text'
        : `a ${typeof value}`;
  const needs = (what: string) => `${labelOf(target)} needs ${what}; this is ${is}`;
  if (LISTS.has(target)) return Array.isArray(value) ? undefined : needs('a list');
  if (target === 'prompt' || target === 'response') {
    return typeof value === 'string' || Array.isArray(value)
      ? undefined
      : needs('a text or a list of messages');
  }
  if (NUMBERS.has(target)) {
    const isNumber =
      typeof value === 'number' ||
      (typeof value === 'string' && value.trim() !== '' && !Number.isNaN(Number(value)));
    return isNumber || typeof value === 'boolean' ? undefined : needs('a number');
  }
  return Array.isArray(value) || isObject(value) ? needs('a single value') : undefined;
}

/**
 * The field to choose after one was set: the next one in the list that has no path and can still be needed. The prompt
 * comes after the response as well, which is the first field to map and stands below it.
 * @param value that was set
 */
export function nextTarget(mapping: Mapping, after: Target, value: unknown): Target {
  const { messages, response } = mapping.fields;
  const isOfOwnKeys = Array.isArray(value) && withUsualNames(value.filter(isObject)) === undefined;
  const all = FIELD_GROUPS.flatMap((group) => group.fields.map(({ field }) => field));
  const start = all.indexOf(after) + 1;
  const isOpen = (field: Target): boolean => {
    if (pathOf(mapping, field) !== undefined || field === 'rollouts') return false;
    if (field === 'messages') return response === undefined;
    if (field === 'prompt' || field === 'response') return messages === undefined;
    return !isInMessage(field) || isInMessage(after) || (isOfOwnKeys && after === 'messages');
  };
  const missed: readonly Target[] = after === 'response' ? ['prompt'] : [];
  return [...missed, ...all.slice(start), ...all.slice(0, start)].find(isOpen) ?? after;
}

/**
 * The reason why the mapping cannot be used yet. Undefined if it can.
 * @param preview the first records read with it; undefined while they are read
 */
export function mappingFault(mapping: Mapping, preview?: MappingPreview): string | undefined {
  if (mapping.fields.messages === undefined && mapping.fields.response === undefined)
    return 'Choose where the messages or the response are';
  const targets = FIELD_GROUPS.flatMap((group) => group.fields);
  const bad = targets.find(({ field }) => pathFault(pathOf(mapping, field) ?? '') !== undefined);
  if (bad !== undefined) return `The path of “${bad.label}” is not a path`;
  if (mapping.shape.length === 0) return 'Choose at least one field that identifies files of this shape';
  if (mapping.name.trim() === '') return 'Give the mapping a name';
  if (
    preview !== undefined &&
    preview.records.length > 0 &&
    preview.records.every(({ rollouts }) => rollouts.length === 0)
  )
    return `No rollout could be read from the first ${counted(preview.records.length, 'record')}`;
  return undefined;
}

/** The mapping to preview. Name and shape do not affect the preview, and an unfinished path may be invalid. */
export function previewable(mapping: Mapping): ParamsOf<'mapping.preview'>['mapping'] {
  let sent: Mapping = { ...mapping, name: 'preview' };
  for (const { field } of FIELD_GROUPS.flatMap((group) => group.fields)) {
    if (pathFault(pathOf(sent, field) ?? '') !== undefined) sent = withPath(sent, field, undefined);
  }
  return { ...sent, shape: [] };
}

/** The field to map first: the first of these without a path. */
export function firstTarget(mapping: Mapping): Target {
  if (mapping.fields.messages === undefined && mapping.fields.response === undefined) return 'response';
  const asked = mapping.fields.messages === undefined ? (['prompt'] as const) : [];
  const wanted = [...asked, 'reward', 'group', 'step'] as const;
  return wanted.find((field) => mapping.fields[field] === undefined) ?? 'reward';
}

type RecordIssues = MappingPreview['records'][number]['issues'];

export interface PreviewRow {
  readonly key: string;
  readonly record: number;
  /** Index among the previewed records. */
  readonly at: number;
  readonly rollout?: PreviewRollout;
  /** Issues of the record, on its first row. */
  readonly issues: RecordIssues;
}

/** A record may contain hundreds of rollouts, and the first ones are enough to check the mapping. */
const MOST_PER_RECORD = 16;

export function previewRows(preview: MappingPreview): {
  readonly rows: readonly PreviewRow[];
  readonly rollouts: number;
  readonly refused: number;
  readonly warnings: number;
} {
  const rows = preview.records.flatMap(({ number, rollouts, issues }, at): PreviewRow[] => {
    const shown = rollouts.slice(0, MOST_PER_RECORD);
    if (shown.length === 0) return [{ key: `${number}`, record: number, at, issues }];
    return shown.map((rollout, i) => ({
      ...{ key: `${number}.${i}`, record: number, at, rollout },
      issues: i === 0 ? issues : [],
    }));
  });
  return {
    rows,
    rollouts: preview.records.reduce((sum, { rollouts }) => sum + rollouts.length, 0),
    refused: preview.records.filter(({ rollouts }) => rollouts.length === 0).length,
    warnings: preview.records.flatMap(({ issues }) => issues).filter(({ severity }) => severity === 'warning')
      .length,
  };
}

export const GROUPED_BY: Readonly<Record<PreviewRollout['groupRule'], string>> = {
  logged: GROUP_RULES.logged.words,
  problem: 'by problem',
  prompt: GROUP_RULES.prompt.words,
  order: GROUP_RULES.order.words,
};

/** The groups of the previewed rollouts, and how they are made. */
export function groupsText({ records, groups }: MappingPreview): string {
  const all = records.flatMap(({ rollouts }) => rollouts);
  const rules = new Set(all.map(({ groupRule }) => groupRule));
  // Unknown prompts are not equal.
  if (all.length > 0 && all.every(({ groupRule, prompt }) => groupRule === 'prompt' && prompt === ''))
    return `${counted(groups, 'group')}: the prompts are unknown`;
  return `${counted(groups, 'group')} ${[...rules].map((rule) => GROUPED_BY[rule]).join(' and ')}`;
}

/** `name.json`, valid as a file name on every system. */
export const fileNameOf = (name: string): string =>
  `${
    name
      .trim()
      .replace(/[^\p{L}\p{N}._-]+/gu, '-')
      .replace(/^[.-]+|-+$/g, '') || 'mapping'
  }.mapping.json`;

/** Blank lines are skipped, so a record's line number may be higher than its index here. */
export function recordCount(number: number, at: number, read: number): string {
  return number === at + 1 ? `${number} of the first ${read}` : `${number} (${at + 1} of ${read} checked)`;
}
