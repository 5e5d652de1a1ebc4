// biome-ignore-all lint/a11y/useSemanticElements: the roles of the tree it stands in
import { Columns2 } from 'lucide-react';
import type { ForkNode, TreeRollout } from '../../../../shared/api/contract.ts';
import { Link } from '../../../ui/Link.tsx';
import { KeptMark, RightMark } from '../../../ui/Marks.tsx';
import { reward } from '../../../ui/numbers.ts';
import { type Box, NodeText } from './BranchCard.tsx';
import type { RolloutItem } from './treeModel.ts';

/** What any rollout of the tree has: columns nobody has a value for are left out. */
interface LeafColumns {
  readonly step: boolean;
  readonly kept: boolean;
  readonly answer: boolean;
}

interface LeafRowProps {
  readonly box: Box;
  readonly item: RolloutItem;
  readonly rollout: TreeRollout;
  readonly node: ForkNode | undefined;
  readonly href: string;
  readonly isCurrent: boolean;
  /** 1 … 4; 0: not marked. */
  readonly mark: number;
  /** What is said of it where it was gathered with c. */
  readonly compareMark: string | undefined;
  readonly columns: LeafColumns;
  readonly onChoose: () => void;
}

/** One rollout: how it went, and how it goes on after the last fork. A click opens its replay. */
export function LeafRow(props: LeafRowProps) {
  const { box, item, rollout, node, mark, columns } = props;
  return (
    <Link
      id={`tree-${item.key}`}
      role="treeitem"
      aria-level={item.depth + 1}
      aria-selected={props.isCurrent}
      tabIndex={-1}
      className={rollout.kept === false ? 'fork-leaf is-quiet' : 'fork-leaf'}
      style={box}
      href={props.href}
      draggable={false}
      onClick={props.onChoose}
    >
      {props.compareMark !== undefined && (
        <span className="leaf-compared" role="img" aria-label={props.compareMark} title={props.compareMark}>
          <Columns2 size={11} />
        </span>
      )}
      <span className="leaf-mark">{mark > 0 && <b className="pair-mark">{'ABCD'[mark - 1]}</b>}</span>
      <b className="mono leaf-ordinal">#{rollout.ordinal}</b>
      <span className="leaf-glyph">
        <RightMark isCorrect={rollout.isCorrect} />
      </span>
      {columns.kept && (
        <span className="leaf-glyph">
          <KeptMark isKept={rollout.kept} />
        </span>
      )}
      {columns.step && <span className="leaf-step">step {rollout.step}</span>}
      {columns.answer && (
        <span className="leaf-answer mono" title={rollout.answer}>
          {rollout.answer}
        </span>
      )}
      {rollout.isCorrect === undefined && rollout.reward !== undefined && (
        <span className="leaf-step">reward {reward(rollout.reward)}</span>
      )}
      {node !== undefined && <NodeText node={node} />}
    </Link>
  );
}
