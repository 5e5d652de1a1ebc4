/** The source of a run's correctness, where Turnwise derived it. */
import type { RunSummary } from '../../shared/api/contract.ts';
import { Chip } from '../ui/Controls.tsx';

export const NO_VERDICT = 'The log has no verdict. Turnwise compared each answer with its ground truth';

/** Renders nothing for a run whose log has verdicts or rewards, nor while the run is loading. */
export function DerivedCorrectness({ run }: { readonly run: Pick<RunSummary, 'correctSource'> | undefined }) {
  if (run?.correctSource !== 'derived') return null;
  return <Chip title={NO_VERDICT}>correctness derived</Chip>;
}
