import type { ParamsOf } from '../../../shared/api/contract.ts';
import { useUrlQuery } from '../../data/usePlace.ts';
import { Segmented } from '../../ui/Controls.tsx';

type Filter = Pick<ParamsOf<'rollout.order'>, 'kept' | 'isCorrect' | 'hasToolCalls' | 'hasToolErrors'>;

const yesNo = (value: string | null): boolean | undefined =>
  value === 'yes' ? true : value === 'no' ? false : undefined;

/** `?right=no&tools=none`: filters live in the URL, so a list can be sent to someone. */
export function rolloutFilterOf(query: URLSearchParams): Filter {
  const tools = query.get('tools');
  return {
    isCorrect: yesNo(query.get('right')),
    kept: yesNo(query.get('kept')),
    hasToolCalls: tools === 'none' ? false : tools === 'some' ? true : undefined,
    hasToolErrors: tools === 'failed' ? true : undefined,
  };
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
