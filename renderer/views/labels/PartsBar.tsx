import { count, counted } from '../../ui/numbers.ts';
import type { Part } from './reportModel.ts';

/** Shares beside each other, each with its number: the scale says in which colours and patterns. */
export function PartsBar({
  parts,
  scale,
}: {
  readonly parts: readonly Part[];
  readonly scale: 'class' | 'kept';
}) {
  if (parts.length === 0) return null;
  return (
    <span className="parts">
      <span className="parts-bar" aria-hidden>
        {parts.map((part) => (
          <i key={part.id} className={`is-${scale}-${part.id}`} style={{ flexGrow: part.rollouts }} />
        ))}
      </span>
      <span className="parts-words">
        {parts.map((part) => (
          <span
            key={part.id}
            title={`${part.words}: ${counted(part.rollouts, 'rollout')}, ${counted(part.annotations, 'annotation')}`}
          >
            {part.words} <b>{count(part.rollouts)}</b>
          </span>
        ))}
      </span>
    </span>
  );
}
