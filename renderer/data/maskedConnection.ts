/** Masks credentials in the host's responses, so that views, links and copied texts do not contain them. */
import type { ForkNode, ForkTree, Method } from '../../shared/api/contract.ts';
import type { Client } from '../../shared/api/transport.ts';
import { maskedText, maskRanges } from '../../shared/domain/maskedText.ts';
import type { Connection } from './connection.ts';

/** The page saves a mapping again after editing it, and a server continues the texts of a batch. */
const WHOLE: ReadonlySet<Method> = new Set(['mapping.list', 'sampling.batch', 'sampling.nextBatch']);

/** @param isMasking called for every response */
export function maskedConnection(connection: Connection, isMasking: () => boolean): Connection {
  const clients = new Map<Client, Client>();
  const masked = (client: Client): Client => {
    const known = clients.get(client);
    if (known !== undefined) return known;
    const created: Client = {
      request: async (method, params, options) => {
        const answer = await client.request(method, params, options);
        if (!isMasking() || WHOLE.has(method)) return answer;
        // TypeScript does not narrow the result type by a generic method.
        const known: unknown = method === 'compare.tree' ? maskedTree(answer as ForkTree) : walk(answer);
        return known as typeof answer;
      },
      subscribe: (listener) => client.subscribe(listener),
    };
    clients.set(client, created);
    return created;
  };
  return {
    ...connection,
    client: masked(connection.client),
    clientOf: (library) => masked(connection.clientOf(library)),
  };
}

/** The user's own names and texts. The page sends them back: a masked one would not be found, or would be saved. */
const KEPT: ReadonlySet<string> = new Set([
  ...['id', 'key', 'name', 'path', 'directory', 'libraryPath', 'runKey', 'poolKey', 'keptKey', 'groupKey'],
  ...['problemId', 'params', 'note', 'correction', 'author', 'label', 'taxonomy', 'filter', 'sql'],
  'proposal',
]);

const NONE: ReadonlySet<string> = new Set();
/** Objects from a log. Their keys are arbitrary, so the names in `KEPT` do not apply. */
const LOGGED: ReadonlySet<string> = new Set(['extra', 'config', 'changes']);

/** Returns the same object if nothing in it is masked. */
function walk(value: unknown, kept = KEPT): unknown {
  if (typeof value === 'string') return maskedText(value);
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) {
    const walked = value.map((each) => walk(each, kept));
    return walked.every((each, i) => each === value[i]) ? value : walked;
  }
  const entries = Object.entries(value);
  const snippet = maskedSnippet(value as Readonly<Record<string, unknown>>);
  const walked = entries.map(([key, inner]) => [
    key,
    snippet?.[key] ?? (kept.has(key) ? inner : walk(inner, LOGGED.has(key) ? NONE : kept)),
  ]);
  return walked.every(([, inner], i) => inner === entries[i]?.[1]) ? value : Object.fromEntries(walked);
}

/** A long word with a digit and a letter, which may be the rest of a credential that was cut off at the start. */
const REST = /^(?=[\w+/=.~-]*\d)(?=[\w+/=.~-]*[A-Za-z])[\w+/=.~-]{8,}/;

/** Whether the text starts in the middle of a longer one: a cut hit, or an occurrence of a token. */
function isCutBefore({ isCut, token }: Readonly<Record<string, unknown>>): boolean {
  const isCutHit = typeof isCut === 'object' && isCut !== null && 'before' in isCut && isCut.before === true;
  return isCutHit || typeof token === 'number';
}

/** Masks a hit or quote together with its context, since a credential may span both. */
function maskedSnippet(
  value: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> | undefined {
  if (typeof value['before'] !== 'string') return undefined;
  const parts = ('quote' in value ? ['before', 'quote', 'quoteEnd', 'after'] : ['before', 'text', 'after'])
    .map((key) => [key, value[key]] as const)
    .filter((part): part is readonly [string, string] => typeof part[1] === 'string');
  const text = parts.map(([, part]) => part).join('');
  const [rest = ''] = isCutBefore(value) ? (REST.exec(text) ?? []) : [];
  const masked = maskRanges(maskedText(text), [{ start: 0, end: rest.length }]).text;
  let end = 0;
  return Object.fromEntries(
    parts.map(([key, text]) => {
      end += text.length;
      return [key, masked.slice(end - text.length, end)];
    }),
  );
}

/** Characters above a branch, to detect a credential that continues into the branch. */
const ABOVE = 1_000;

function maskedTree(tree: ForkTree): ForkTree {
  const paths: string[] = [];
  const nodes = tree.nodes.map((node): ForkNode => {
    const { parent, nextToken } = node;
    const above = parent === undefined ? '' : (paths[parent] ?? '').slice(-ABOVE);
    paths.push(above + node.text);
    const text = maskedText(above + node.text).slice(above.length);
    return {
      ...node,
      text,
      // `nextToken` is a prefix of the text.
      ...(nextToken === undefined ? {} : { nextToken: text.slice(0, nextToken.length) }),
    };
  });
  return { ...tree, nodes, rollouts: tree.rollouts.map((each) => walk(each) as typeof each) };
}
