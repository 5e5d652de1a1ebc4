/**
 * Reads a log by a user's mapping (`mapping.ts`). Every record with a response is a rollout. A mapped field
 * whose path has no value yields a warning.
 */
import { readPrompt } from '../domain/prompt.ts';
import { isToolIntegrated, segmentToolIntegrated } from '../domain/toolIntegrated.ts';
import { bodyOf, bodyOfMessages, bodyOfText, type KnownFacts, problemOf, type RolloutBody } from './body.ts';
import {
  booleanOf,
  idOf,
  indexOf,
  insteadOfIndex,
  isObject,
  isUnread,
  type JsonObject,
  numberOf,
  rewardOf,
  textOf,
} from './fields.ts';
import type {
  FileContext,
  LineIssue,
  LogFormat,
  ParsedLine,
  ParsedRollout,
  ParsedTokens,
  RecordReader,
} from './format.ts';
import {
  MAPPED_ROLES,
  MAPPING_FIELDS,
  MAPPING_VERSION,
  type MappedRole,
  type Mapping,
  type MappingField,
  mappingFormatName,
} from './mapping.ts';
import { usualRole, withUsualNames } from './messageShape.ts';
import { textOfContent } from './messages.ts';
import { type PathStep, parsePath, valueAt } from './recordPath.ts';
import { stopOf } from './stop.ts';
import { alignTo, readTokens } from './turnwiseTokens.ts';

export function formatOfMapping(mapping: Mapping): LogFormat {
  return {
    name: mappingFormatName(mapping.name),
    title: `by the mapping ${mapping.name}`,
    source: 'a mapping made by the user',
    rule: `records with the fields ${mapping.shape.join(', ')}`,
    reads: Object.entries(mapping.fields)
      .map(([field, path]) => `${field} from ${path}`)
      .join(', '),
    ignores: 'nothing: every other field of the record is an extra field',
    detect: ({ records }) =>
      records.some((record) => mapping.shape.every((key) => Object.hasOwn(record, key))),
    open: (file) => new MappedReader(mapping, file),
  };
}

/** @returns the mapping, or why it is invalid */
export function readMapping(value: unknown): { readonly mapping: Mapping } | { readonly message: string } {
  if (!isObject(value)) return { message: 'a mapping is a JSON object' };
  const { version, name, shape, rollouts, fields, roles } = value;
  if (version !== MAPPING_VERSION) {
    return {
      message: `"version" is ${JSON.stringify(version)}; this Turnwise reads mappings of version ${MAPPING_VERSION}`,
    };
  }
  if (typeof name !== 'string' || name.trim() === '') return { message: '"name" must be a text' };
  if (!Array.isArray(shape) || !shape.every((key) => typeof key === 'string')) {
    return { message: '"shape" must be a list of field names' };
  }
  if (!isObject(fields)) return { message: '"fields" must be an object of paths' };
  const paths: Partial<Record<MappingField, string>> = {};
  for (const [field, path] of Object.entries({
    ...fields,
    ...(rollouts === undefined ? {} : { rollouts }),
  })) {
    const known = MAPPING_FIELDS.find((candidate) => candidate === field);
    if (known === undefined && field !== 'rollouts') {
      return {
        message: `"fields.${field}" is not a field of a rollout; known fields: ${MAPPING_FIELDS.join(', ')}`,
      };
    }
    if (typeof path !== 'string' || parsePath(path) === undefined) {
      return {
        message: `the path of "${field}" is ${JSON.stringify(path)}; a path looks like meta.step or turns[0].text`,
      };
    }
    if (known !== undefined) paths[known] = path;
  }
  const meanings = rolesOf(roles);
  if (meanings === undefined)
    return { message: `"roles" must be an object whose values are of ${MAPPED_ROLES.join(', ')}` };
  const hasText = paths.messages !== undefined || paths.response !== undefined;
  if (!hasText && (paths.joinKey === undefined || !JOINED.some((field) => paths[field] !== undefined))) {
    return {
      message:
        'a mapping needs a path for "messages" or for "response"; or "joinKey" with token columns, "kept" or "advantage"',
    };
  }
  return {
    mapping: {
      version: MAPPING_VERSION,
      name: name.trim(),
      shape: shape.filter((key) => typeof key === 'string'),
      ...(typeof rollouts === 'string' ? { rollouts } : {}),
      fields: paths,
      ...(Object.keys(meanings).length === 0 ? {} : { roles: meanings }),
    },
  };
}

/** @returns undefined if the value is not an object of roles */
function rolesOf(value: unknown): Readonly<Record<string, MappedRole>> | undefined {
  if (value === undefined) return {};
  if (!isObject(value)) return undefined;
  const roles = Object.entries(value).flatMap(([word, name]) => {
    const role = MAPPED_ROLES.find((one) => one === name);
    return role === undefined ? [] : [[word, role] as const];
  });
  return roles.length === Object.keys(value).length ? Object.fromEntries(roles) : undefined;
}

/** Fields that a record without text can contribute to a rollout of another file. */
const JOINED = [
  ...(['tokenTexts', 'tokenIds', 'tokenMask', 'tokenLogprobs', 'tokenEntropies'] as const),
  ...(['kept', 'advantage'] as const),
];

/** Characters and values that the rollouts of one record may read from the record around them, in all. */
const MOST_REPEATED = 64 << 20;

/** @returns characters and values within a value; stops soon after `most` */
function sizeUpTo(most: number, value: unknown): number {
  let size = 0;
  const waiting = [value];
  while (waiting.length > 0 && size <= most) {
    const next = waiting.pop();
    size += typeof next === 'string' ? next.length : 1;
    if (typeof next === 'object' && next !== null)
      for (const inner of Object.values(next)) waiting.push(inner);
  }
  return size;
}

class MappedReader implements RecordReader {
  private readonly mapping: Mapping;
  private readonly file: FileContext;
  private readonly paths: ReadonlyMap<MappingField, readonly PathStep[]>;
  private readonly list: readonly PathStep[] | undefined;
  /** Inside a message. Empty: not mapped. */
  private readonly rolePath: readonly PathStep[];
  private readonly textPath: readonly PathStep[];

  constructor(mapping: Mapping, file: FileContext) {
    this.mapping = mapping;
    this.file = file;
    this.paths = new Map(
      MAPPING_FIELDS.filter((field) => field !== 'messageRole' && field !== 'messageText').flatMap(
        (field) => {
          const steps = parsePath(mapping.fields[field] ?? '');
          return mapping.fields[field] === undefined || steps === undefined ? [] : [[field, steps]];
        },
      ),
    );
    this.list = mapping.rollouts === undefined ? undefined : parsePath(mapping.rollouts);
    this.rolePath = parsePath(mapping.fields.messageRole ?? '') ?? [];
    this.textPath = parsePath(mapping.fields.messageText ?? '') ?? [];
  }

  read(record: JsonObject): ParsedLine | readonly ParsedLine[] {
    if (this.list === undefined) return this.rolloutOf(record, record);
    const list = valueAt(record, this.list);
    if (!Array.isArray(list)) {
      return refuse(
        `"${this.mapping.rollouts}" is ${describe(list)}, not the list of rollouts the mapping says`,
      );
    }
    if (list.length === 0) return refuse(`the list of rollouts in "${this.mapping.rollouts}" is empty`);
    const elements = list.map((element: unknown) => (isObject(element) ? element : { '': element }));
    if (this.repeats(elements, record))
      return refuse(
        `the ${elements.length.toLocaleString('en')} rollouts in "${this.mapping.rollouts}" share texts of the record around them that are too large to be read for each of them`,
      );
    return elements.map((element) => this.rolloutOf(element, record));
  }

  /** Whether the values that elements lack, and so read from the record around them, are too large in all. */
  private repeats(elements: readonly JsonObject[], record: JsonObject): boolean {
    let left = MOST_REPEATED;
    for (const steps of this.paths.values()) {
      const shared = valueAt(record, steps);
      if (shared === undefined) continue;
      const readers = elements.filter((element) => valueAt(element, steps) === undefined).length;
      if (readers > 1) left -= readers * sizeUpTo(left / readers, shared);
      if (left < 0) return true;
    }
    return false;
  }

  private rolloutOf(element: JsonObject, record: JsonObject): ParsedLine {
    const warnings: LineIssue[] = [];
    const look = new Lookup(this.paths, element, record);
    if (!this.paths.has('messages') && !this.paths.has('response')) return this.joinedOf(look, warnings);
    const facts: KnownFacts = {
      ...optional('problemId', idOf(look.value('problem'))),
      ...optional('groundTruth', textOf(look.value('groundTruth'))),
      ...optional('answer', textOf(look.value('answer'))),
      stop: stopOf(look.value('stopReason')),
    };
    const body = this.bodyOf(look, facts);
    if (typeof body === 'string') return refuse(body);
    const group = idOf(look.value('group'));
    const step = indexOf(look.value('step')) ?? this.file.layout.step;
    const reward = rewardOf(look.value('reward'));
    const kept = truthOf(look.value('kept'));
    const advantage = numberOf(look.value('advantage'));
    for (const [field, read] of [
      ['reward', reward],
      ['step', step],
      ['kept', kept],
      ['group', group],
    ] as const) {
      if (!isUnread(look.value(field), read)) continue;
      const found = field === 'step' ? insteadOfIndex(look.value(field)) : '';
      const message = `"${this.mapping.fields[field]}" is ${describe(look.value(field))}, which is not a valid ${field}${found}; it is unknown`;
      warnings.push({ severity: 'warning', code: 'unread_value', message });
    }
    const tokens = tokensOf(look, body.response, warnings);
    const rollout: ParsedRollout = {
      ...optional('run', idOf(look.value('run'))),
      kind: look.value('split') === 'eval' ? 'eval' : (this.file.layout.kind ?? 'train'),
      ...optional('step', step),
      groupKey: group,
      groupRule: (group ?? facts.problemId) === undefined ? 'prompt' : 'logged',
      ...optional('ordinal', indexOf(look.value('ordinal'))),
      ...body,
      ...optional('reward', reward),
      ...optional('isCorrect', truthOf(look.value('isCorrect'))),
      ...(kept === undefined && advantage === undefined
        ? {}
        : { decision: { ...optional('kept', kept), ...optional('advantage', advantage) } }),
      ...optional('tokens', tokens),
      ...optional('joinKeys', joinKeysOf(look)),
      extra: look.unread(),
    };
    return { kind: 'rollout', rollout, warnings };
  }

  /** Token columns if there are any, else the decision. */
  private joinedOf(look: Lookup, warnings: LineIssue[]): ParsedLine {
    if (!this.paths.has('joinKey'))
      return refuse('a rollout needs messages or a response; choose where they are');
    const [joinKey] = joinKeysOf(look) ?? [];
    if (joinKey === undefined) {
      return refuse(
        `"${this.mapping.fields.joinKey}" is ${describe(look.value('joinKey'))}, which cannot be a join key`,
      );
    }
    const tokens = readTokens(columnsOf(look));
    warnings.push(...tokens.warnings);
    if (tokens.tokens !== undefined) {
      const signal = { address: { joinKey }, tokens: { ...tokens.tokens, ends: undefined } };
      return { kind: 'signal', signal, warnings };
    }
    const kept = truthOf(look.value('kept'));
    const advantage = numberOf(look.value('advantage'));
    if (kept === undefined && advantage === undefined) {
      return refuse('the record has no token column or decision that the mapping names');
    }
    const decision = { ...optional('kept', kept), ...optional('advantage', advantage) };
    return { kind: 'decision', decision: { address: { joinKey }, decision } };
  }

  /** @returns the messages under the usual names, or why they cannot be read */
  private named(path: string | undefined, list: readonly JsonObject[]): readonly JsonObject[] | string {
    if (this.rolePath.length + this.textPath.length === 0) return withUsualNames(list) ?? unnamed(path, list);
    const renamed = this.renamed(list);
    if (renamed.every(({ content }) => content === undefined)) {
      return this.textPath.length === 0
        ? unnamed(path, list)
        : `no message of "${path}" has a text at "${this.mapping.fields.messageText}"`;
    }
    const words = [...new Set(renamed.map(({ role }) => textOf(role) ?? ''))];
    if (words.some((word) => usualRole(word) === 'assistant')) return renamed;
    const found = [
      ...new Set(
        list.map((one) => textOf(valueAt(one, this.rolePath) ?? one['role'] ?? one['from']) ?? 'none'),
      ),
    ];
    return `no message of "${path}" is by the policy: its roles are ${found.slice(0, 8).join(', ')}. Choose which one is the policy`;
  }

  /** Puts the role and the text of each message under the usual names. */
  private renamed(messages: readonly JsonObject[]): readonly JsonObject[] {
    const roles = this.mapping.roles ?? {};
    return messages.map((message) => {
      const own = this.rolePath.length === 0 ? undefined : valueAt(message, this.rolePath);
      const role = own ?? message['role'] ?? message['from'];
      const word = textOf(role) ?? '';
      const text = this.textPath.length === 0 ? undefined : valueAt(message, this.textPath);
      const content = text ?? message['content'] ?? message['value'];
      return { ...message, role: Object.hasOwn(roles, word) ? roles[word] : role, content };
    });
  }

  /** @returns the body, or why there is no response */
  private bodyOf(look: Lookup, facts: KnownFacts): RolloutBody | string {
    const messages = look.value('messages');
    const prompt = look.value('prompt');
    if (Array.isArray(messages)) {
      const list = messages.filter(isObject);
      if (list.length === 0) return `"${this.mapping.fields.messages}" is a list without messages`;
      const named = this.named(this.mapping.fields.messages, list);
      if (typeof named === 'string') return named;
      return bodyOfMessages(
        named,
        facts,
        Array.isArray(prompt) ? this.renamed(prompt.filter(isObject)) : undefined,
      );
    }
    const response = look.value('response');
    if (Array.isArray(response) && response.some(isObject)) {
      const asked = Array.isArray(prompt)
        ? this.renamed(prompt.filter(isObject))
        : [{ role: 'user', content: textOfContent(prompt) }];
      const list = response.filter(isObject);
      const named = this.named(this.mapping.fields.response, list);
      return typeof named === 'string' ? named : bodyOfMessages(named, facts, asked);
    }
    const text = textOf(response);
    if (text === undefined) {
      const field = this.mapping.fields.response === undefined ? 'messages' : 'response';
      const path = this.mapping.fields[field];
      return path === undefined
        ? 'a rollout needs messages or a response, and no path of the mapping leads to one'
        : `"${path}" is ${describe(look.value(field))}; a rollout needs its ${field}`;
    }
    const asked = Array.isArray(prompt) ? prompt.map(textOfContent).join('\n\n') : (textOf(prompt) ?? '');
    if (!hasOutputBlocks(text)) return bodyOfText(asked, text, facts);
    const problem = problemOf(asked, readPrompt(asked).segments, facts);
    return bodyOf(problem, { ...segmentToolIntegrated(text), text }, facts);
  }
}

/** Whether calls are code blocks with output blocks after them, rather than tags. */
const hasOutputBlocks = (text: string): boolean => isToolIntegrated(text) && !text.includes('<tool_call>');

/** The issue message for messages without a known role and text; it lists their keys. */
function unnamed(path: string | undefined, messages: readonly JsonObject[]): string {
  const keys = [...new Set(messages.flatMap((message) => Object.keys(message)))].slice(0, 8);
  return `"${path}" has ${messages.length === 1 ? '1 message' : `${messages.length} messages`} without a known role and text; the keys are ${keys.join(', ')}. A message has a role (such as user, assistant, tool) and a text`;
}

/** Looks up values of one rollout: first in its own element, then in the surrounding record. */
class Lookup {
  private readonly paths: ReadonlyMap<MappingField, readonly PathStep[]>;
  private readonly element: JsonObject;
  private readonly record: JsonObject;

  constructor(
    paths: ReadonlyMap<MappingField, readonly PathStep[]>,
    element: JsonObject,
    record: JsonObject,
  ) {
    this.paths = paths;
    this.element = element;
    this.record = record;
  }

  value(field: MappingField): unknown {
    const steps = this.paths.get(field);
    if (steps === undefined) return undefined;
    return valueAt(this.element, steps) ?? valueAt(this.record, steps);
  }

  /** Top-level fields of the element that no path begins with. */
  unread(): JsonObject {
    const read = new Set([...this.paths.values()].map((steps) => steps[0]));
    return Object.fromEntries(Object.entries(this.element).filter(([key]) => !read.has(key)));
  }
}

function tokensOf(look: Lookup, response: string, warnings: LineIssue[]): ParsedTokens | undefined {
  const columns = columnsOf(look);
  if (Object.values(columns).every((column) => !Array.isArray(column))) return undefined;
  const reading = readTokens(columns);
  warnings.push(...reading.warnings);
  if (reading.tokens === undefined) return undefined;
  const isSpelled = reading.text === response;
  const aligned = alignTo(response, isSpelled ? reading.tokens : { ...reading.tokens, ends: undefined });
  warnings.push(...aligned.warnings);
  return aligned.tokens;
}

function columnsOf(look: Lookup): JsonObject {
  return {
    text: look.value('tokenTexts'),
    ids: look.value('tokenIds'),
    mask: look.value('tokenMask'),
    logprob: look.value('tokenLogprobs'),
    entropy: look.value('tokenEntropies'),
  };
}

function joinKeysOf(look: Lookup): readonly string[] | undefined {
  const key = idOf(look.value('joinKey'));
  return key === undefined ? undefined : [`mapped:${key}`];
}

function truthOf(value: unknown): boolean | undefined {
  return value === 0 || value === 1 ? value === 1 : booleanOf(value);
}

function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };
}

function describe(value: unknown): string {
  if (value === undefined) return 'not in the record';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}

function refuse(message: string): ParsedLine {
  return { kind: 'issue', issue: { severity: 'refused', code: 'mapping_mismatch', message } };
}
