/** Marks of a run whose correctness or reward Turnwise derived. */
import type { RunSummary } from '../../shared/api/contract.ts';
import { Chip } from '../ui/Controls.tsx';

export const NO_VERDICT =
  'The log has no verdict. Turnwise compared each answer with its ground truth as they are written: numbers by value, and formulas such as √39 are not evaluated';
export const FROM_GRADES =
  'The log has grades and no rewards. Turnwise translated them: C is 1, P is 0.5, I and N are 0';

/** Renders nothing for a run whose log has what is shown, nor while the run is loading. */
export function DerivedChips({
  run,
}: {
  readonly run: Pick<RunSummary, 'correctSource' | 'rewardGrade'> | undefined;
}) {
  return (
    <>
      {run?.correctSource === 'derived' && <Chip title={NO_VERDICT}>correctness derived</Chip>}
      {run?.rewardGrade !== undefined && <Chip title={FROM_GRADES}>reward from grades</Chip>}
    </>
  );
}
