import type { RocSums } from '../../../../shared/api/contract.ts';
import { effectsOf } from './effectsModel.ts';

interface EffectTableProps {
  readonly before: RocSums | undefined;
  readonly after: RocSums | undefined;
  /** What stands, in words: logged, recomputed under a rule. */
  readonly beforeLabel: string;
  readonly isStale: boolean;
}

/** What changes for the update; rows keep their place while a new answer is on its way. */
export function EffectTable({ before, after, beforeLabel, isStale }: EffectTableProps) {
  return (
    <table className={isStale ? 'effects is-stale' : 'effects'} aria-busy={isStale}>
      <thead>
        <tr>
          <th scope="col">
            <span className="visually-hidden">of kept rollouts</span>
          </th>
          <th scope="col">{beforeLabel}</th>
          <th scope="col">what if</th>
        </tr>
      </thead>
      <tbody>
        {effectsOf(before, after).map((effect) => (
          <tr key={effect.label} title={effect.hint}>
            <th scope="row">{effect.label}</th>
            <td>{effect.before}</td>
            <td className={effect.isChanged ? 'is-changed' : undefined}>{effect.after}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
