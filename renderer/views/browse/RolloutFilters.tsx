import { useUrlQuery } from '../../data/usePlace.ts';
import { Segmented } from '../../ui/Controls.tsx';

const CORRECT: Readonly<Record<string, string>> = { yes: 'is_correct:true', no: 'is_correct:false' };
const TOOLS: Readonly<Record<string, string>> = {
  none: 'tool_calls:0',
  some: 'tool_calls:>0',
  failed: 'tool_errors:>0',
};
const KEPT: Readonly<Record<string, string>> = { yes: 'kept:true', no: 'kept:false' };

/** `?right=no&tools=none`: the switches live in the URL, so a list can be sent to someone. @returns them as a filter */
export function rolloutFilterOf(query: URLSearchParams): string {
  const chosen = [
    CORRECT[query.get('right') ?? ''],
    TOOLS[query.get('tools') ?? ''],
    KEPT[query.get('kept') ?? ''],
  ];
  return chosen.filter((part) => part !== undefined).join(' ');
}

interface RolloutFiltersProps {
  readonly hasDecisions: boolean;
  readonly hasCorrectness: boolean;
}

export function RolloutFilters({ hasDecisions, hasCorrectness }: RolloutFiltersProps) {
  const [query, setQuery] = useUrlQuery();
  return (
    <>
      {hasCorrectness && (
        <Segmented
          label="Correctness"
          chosen={query.get('right') ?? ''}
          onChoose={(right) => setQuery({ right })}
          choices={[
            { id: '', label: 'All' },
            { id: 'yes', label: <span className="is-right">✓ right</span> },
            { id: 'no', label: <span className="is-wrong">✕ wrong</span> },
          ]}
        />
      )}
      <Segmented
        label="Tool calls"
        chosen={query.get('tools') ?? ''}
        onChoose={(tools) => setQuery({ tools })}
        choices={[
          { id: '', label: 'Any calls' },
          { id: 'none', label: 'No tool call' },
          { id: 'some', label: 'With calls' },
          { id: 'failed', label: 'With failed calls' },
        ]}
      />
      {hasDecisions && (
        <Segmented
          label="Decision"
          chosen={query.get('kept') ?? ''}
          onChoose={(kept) => setQuery({ kept })}
          choices={[
            { id: '', label: 'Any decision' },
            { id: 'yes', label: 'Kept' },
            { id: 'no', label: 'Discarded' },
          ]}
        />
      )}
    </>
  );
}
