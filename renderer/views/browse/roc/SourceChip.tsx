import type { RocBasis } from '../../../../shared/api/contract.ts';
import { useUrlQuery } from '../../../data/useRoute.ts';
import { Chip } from '../../../ui/Controls.tsx';
import { basisLabel, decisionSourceLabel, type Source, UNKNOWN_LABEL } from './rocLabels.ts';

interface SourceChipProps {
  readonly source: Source;
  readonly basis: RocBasis;
  /** `listed in …`: another log of this training says it, and the two were joined. */
  readonly listedIn?: string | undefined;
}

/** Where the decisions shown come from. */
export function SourceChip({ source, basis, listedIn }: SourceChipProps) {
  if (source === 'logged' && listedIn !== undefined) {
    return (
      <Chip title="Joined by hand: kept is what the other log lists, discarded what it does not. See the sources of this run.">
        decision: {listedIn}
      </Chip>
    );
  }
  const why =
    source === 'logged'
      ? 'Written by the trainer.'
      : source === 'recomputed'
        ? basisLabel(basis)
        : UNKNOWN_LABEL;
  return <Chip title={why}>{decisionSourceLabel(source, basis.rule)}</Chip>;
}

/** Where nothing is known: the one configuration the release's authors published, as a choice. */
export function ExampleOffer({
  source,
  isExample,
}: {
  readonly source: Source;
  readonly isExample: boolean;
}) {
  const [, setQuery] = useUrlQuery();
  if (!isExample && source !== 'unknown') return null;
  return (
    <p className="example-offer">
      {isExample
        ? 'Decisions shown as recomputed are under the example script’s configuration, chosen here.'
        : UNKNOWN_LABEL}{' '}
      <button
        type="button"
        className="is-link"
        title="reject_equal_reward, roc_error_ratio, roc_answer_format on; minima 2/2; down_sample_to_n 16"
        onClick={() => setQuery({ basis: isExample ? undefined : 'example' })}
      >
        {isExample ? 'Take it back' : 'Recompute under the example script’s configuration'}
      </button>
    </p>
  );
}
