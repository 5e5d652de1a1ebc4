import { ArrowDown } from 'lucide-react';
import { useCommands } from '../../app/commands.ts';
import { keyed } from '../../app/keysInForce.ts';

interface FreshBadgeProps {
  readonly text: string;
  readonly onShow: () => void;
}

/** A list held still says what it holds back. It lies over the list, so that nothing moves when it comes. */
export function FreshBadge({ text, onShow }: FreshBadgeProps) {
  useCommands({ 'fresh.show': onShow });
  return (
    <div className="fresh" role="status">
      <button type="button" onClick={onShow} title={keyed('Show what is new', 'fresh.show')}>
        <ArrowDown size={12} /> {text}
      </button>
    </div>
  );
}
