/** Shown without a query or without results: what can be searched, and why a search may have missed something. */
import { useFilterLink } from '../../data/filterLink.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { Button } from '../../ui/Controls.tsx';
import { EmptyState } from '../../ui/States.tsx';
import { hasCasedPattern, SCOPE_LABELS, scopeOf, withScope } from './searchModel.ts';

const EXAMPLES: readonly (readonly [query: string, means: string])[] = [
  ['"double-check"', 'this phrase'],
  ['verif*', 'words with this beginning'],
  ['code:sympy reward:0', 'in tool calls of rollouts without reward'],
  ['output:"ZeroDivisionError" is_correct:true', 'an error on the way to a correct answer'],
  ['reasoning:/\\b(wait|hmm)\\b/i', 'a regular expression'],
];

export function SearchStart() {
  const [, setQuery] = useUrlQuery();
  return (
    <EmptyState title="Words in the texts of all rollouts">
      <ul className="search-examples">
        {EXAMPLES.map(([query, means]) => (
          <li key={query}>
            <button type="button" onClick={() => setQuery({ q: query })}>
              <code>{query}</code>
            </button>
            <span>{means}</span>
          </li>
        ))}
      </ul>
    </EmptyState>
  );
}

export function NothingFound({ isInOneRun }: { readonly isInOneRun: boolean }) {
  const { node, applied } = useFilterLink();
  const [, setQuery] = useUrlQuery();
  const scope = scopeOf(node);
  const elsewhere = scope === undefined || scope === 'text' ? undefined : withScope(node, 'text');
  const hits = useRequest(
    'search.page',
    elsewhere === undefined || isInOneRun ? undefined : { query: elsewhere, limit: 1 },
  ).data;
  const hit = hits?.groups[0];
  return (
    <EmptyState title="Nothing found">
      <p className="state-facts">{applied}</p>
      {scope !== undefined && elsewhere !== undefined && (
        <p>
          {hit === undefined
            ? `Only ${SCOPE_LABELS[scope].place} were searched. `
            : `Not in ${SCOPE_LABELS[scope].place}, but elsewhere ${
                hit.prompt.total > 0 ? '(in a prompt, for one). ' : 'in a rollout. '
              }`}
          <Button onClick={() => setQuery({ q: elsewhere })}>Search everywhere</Button>
        </p>
      )}
      {isInOneRun && (
        <p>
          Only one run was searched.{' '}
          <Button onClick={() => setQuery({ run: undefined })}>Search all runs</Button>
        </p>
      )}
      {hasCasedPattern(node) && <p>Regular expressions are case-sensitive unless they end in /i.</p>}
      <p>
        Whole words are found; <code>verif*</code> finds words with this beginning. To find punctuation, use a
        regular expression, such as <code>/==/</code>.
      </p>
    </EmptyState>
  );
}
