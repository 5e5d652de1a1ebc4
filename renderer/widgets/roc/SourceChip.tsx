import type { RocBasis } from '../../../shared/api/contract.ts';
import { noChoice } from '../../data/rocChoice.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { Chip } from '../../ui/Controls.tsx';
import { basisLines, decisionSourceLabel, type Source, UNKNOWN_LABEL } from './rocLabels.ts';

interface SourceChipProps {
  readonly source: Source;
  readonly basis: RocBasis;
  /** `listed in …`: the decisions come from another log of this training, which was joined with this one. */
  readonly listedIn?: string | undefined;
}

/** Names the source of the decisions shown. */
export function SourceChip({ source, basis, listedIn }: SourceChipProps) {
  if (source === 'logged' && listedIn !== undefined) {
    return (
      <Chip title="Joined logs: rollouts in the other log are kept, all others discarded. See Sources & rules.">
        decision: {listedIn}
      </Chip>
    );
  }
  const why =
    source === 'logged'
      ? 'Written by the trainer.'
      : source === 'recomputed'
        ? basisLines(basis).join('\n')
        : UNKNOWN_LABEL;
  return <Chip title={why}>{decisionSourceLabel(source, basis.rule)}</Chip>;
}

/** Describes the settings of the published run. */
const EXAMPLE_HINT =
  'rStar2’s example settings: reject_equal_reward, roc_error_ratio, roc_answer_format on; minima 2 and 2; down_sample_to_n 16';

/**
 * Offered if no decision and no configuration is logged: simulates with the one configuration that the authors
 * published.
 */
export function SimulateOffer() {
  const [, setQuery] = useUrlQuery();
  return (
    <button
      type="button"
      className="is-link"
      title={EXAMPLE_HINT}
      onClick={() => setQuery({ basis: 'example', whatif: 'group' })}
    >
      Simulate Resample-on-Correct…
    </button>
  );
}

/** Says that decisions are simulated, or offers to simulate them. */
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
      {isExample ? 'Simulated with rStar2’s example settings.' : UNKNOWN_LABEL}{' '}
      <button
        type="button"
        className="is-link"
        title={EXAMPLE_HINT}
        onClick={() =>
          setQuery(isExample ? { ...noChoice(), basis: undefined, whatif: undefined } : { basis: 'example' })
        }
      >
        {isExample ? 'Stop simulating' : 'Simulate with rStar2’s example settings'}
      </button>
    </p>
  );
}
