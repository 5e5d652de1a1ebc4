// biome-ignore-all lint/a11y/useSemanticElements: uses the roles of the surrounding tree
// biome-ignore-all lint/a11y/useFocusableInteractive: the tree handles the keys and names the item by aria-activedescendant
// biome-ignore-all lint/a11y/useKeyWithClickEvents: as above

import { ChevronDown, ChevronRight, Columns2 } from 'lucide-react';
import { Fragment } from 'react';
import type { ActionNode, ForkNode, TreeRollout } from '../../../shared/api/contract.ts';
import { callName } from '../../../shared/domain/actions.ts';
import { TOOL_ERROR_OUTCOMES } from '../../../shared/domain/model.ts';
import { OUTCOME_NAMES } from '../../../shared/domain/words.ts';
import { keyed } from '../../shell/keys/keysInForce.ts';
import { Link } from '../../ui/Link.tsx';
import { LogText, plainLogText } from '../../ui/LogText.tsx';
import { KeptMark, RightMark, WriterLabel } from '../../ui/Marks.tsx';
import { count, counted, decimal, percent, reward } from '../../ui/numbers.ts';
import { signalLabel, sourceLabel } from '../../ui/signalSource.ts';
import { quietText } from '../../ui/visibleText.ts';
import { AnswerText } from '../../widgets/AnswerText.tsx';
import { StepStrip } from './StepStrip.tsx';
import type { StepColumn } from './stepModel.ts';
import {
  type BranchItem,
  beginning,
  passagesIn,
  passOf,
  type RolloutItem,
  writtenText,
} from './treeModel.ts';

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

interface BranchCardProps {
  readonly box: Box;
  readonly item: BranchItem;
  readonly node: ForkNode | ActionNode;
  /** Undefined: the tree covers a single step. */
  readonly steps: readonly StepColumn[] | undefined;
  /** CSS pixels. */
  readonly stripWidth: number;
  readonly isCurrent: boolean;
  readonly onChoose: () => void;
  readonly onFold: () => void;
  readonly onCompare: () => void;
}

/** A branch beside the bracket over its rollouts. Its card stays visible while any of them is. */
export function BranchCard(props: BranchCardProps) {
  const { box, item, node, steps, isCurrent, onChoose, onFold, onCompare } = props;
  const pass = passOf(node);
  const fork = 'text' in node ? node.fork : undefined;
  const size = node.members.length;
  const isFork = node.children.length > 1;
  const Chevron = item.isFolded ? ChevronRight : ChevronDown;
  return (
    <div
      className={`fork-span${item.isFolded ? ' is-folded' : ''}${item.isStacked ? ' is-stacked' : ''}`}
      style={box}
    >
      <div
        id={`tree-${item.key}`}
        role="treeitem"
        aria-level={item.depth + 1}
        aria-expanded={!item.isFolded}
        aria-selected={isCurrent}
        className={steps === undefined ? 'fork-card' : 'fork-card has-steps'}
        onClick={onChoose}
      >
        <div className="fork-lines">
          <div className="fork-line">
            <button
              type="button"
              tabIndex={-1}
              className="fork-fold"
              aria-label={item.isFolded ? 'Open this branch' : 'Fold this branch'}
              title={keyed(item.isFolded ? 'Open this branch' : 'Fold this branch', 'row.open')}
              onClick={onFold}
            >
              <Chevron size={13} />
            </button>
            {'text' in node ? <NodeText node={node} /> : <ActionText node={node} />}
            {isFork && (
              <button
                type="button"
                tabIndex={-1}
                className="fork-compare"
                aria-label="Compare branches"
                title={keyed(
                  `Compare branches: one rollout of each${
                    node.children.length > 4 ? ' of the four largest' : ''
                  }, correct and incorrect where there are both`,
                  'compare.open',
                )}
                onClick={(event) => {
                  event.stopPropagation();
                  onCompare();
                }}
              >
                <Columns2 size={13} />
              </button>
            )}
          </div>
          <div className="fork-line is-facts">
            <span
              title={
                node.children.length > 0
                  ? `${counted(size, 'rollout')} on this branch${isFork ? `, which forks into ${counted(node.children.length, 'branch', 'branches')} here` : ''}`
                  : `${counted(size, 'rollout')} not separated: equal to the end, or too many branches`
              }
            >
              <b>{count(size)}</b>
              {isFork
                ? ` in ${counted(node.children.length, 'branch', 'branches')}`
                : node.children.length === 0
                  ? ' equal'
                  : size === 1
                    ? ' rollout'
                    : ' rollouts'}
            </span>
            {pass !== undefined && (
              <span className="fork-pass" title={`${pass.correct} of ${pass.known} correct`}>
                <span className="pass-bar" aria-hidden>
                  <i style={{ width: `${(pass.correct / pass.known) * 100}%` }} />
                </span>
                <span className="is-right">✓</span> {percent(pass.correct / pass.known, 0)} %
                {pass.known < size && <span className="dim">of {count(pass.known)}</span>}
              </span>
            )}
          </div>
          {fork !== undefined && (
            <div
              className="fork-line is-signal"
              title={`${sourceLabel(fork)}: mean at the fork over ${counted(fork.rollouts, 'rollout')}`}
            >
              {signalLabel(fork)} {decimal(fork.mean, 2)}
              <span className="dim"> mean of {count(fork.rollouts)}</span>
            </div>
          )}
          {'outcomes' in node && <Outcomes node={node} />}
        </div>
        {steps !== undefined && <StepStrip columns={steps} width={props.stripWidth} height={36} />}
      </div>
    </div>
  );
}

/** The beginning of a branch's text. A text too long for the card shows its length. */
function NodeText({ node }: { readonly node: ForkNode }) {
  const length = node.end - node.start;
  if (length === 0)
    return (
      <span className="fork-text dim">{node.parent === undefined ? 'nothing in common' : 'ends here'}</span>
    );
  return (
    <>
      <span
        className="fork-text mono"
        title={plainLogText(
          node.omitted > 0
            ? `${writtenText(node)}\n\n${count(node.omitted)} characters left out at …`
            : writtenText(node),
        )}
      >
        {passagesIn(node).map(({ writer, text }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: passages of one immutable text never reorder
          <Fragment key={i}>
            {writer !== undefined && <WriterLabel writer={writer} />}
            {plainLogText(beginning(text))}
          </Fragment>
        ))}
      </span>
      <span className="dim fork-length" title="UTF-16 characters of this stretch">
        {count(length)}
      </span>
    </>
  );
}

/** Characters of an action on one line. */
const SHOWN = 160;

/** An action on one line: the tool and its arguments or code, or the answer. */
function ActionText({ node }: { readonly node: ActionNode }) {
  const { action, parent } = node;
  if (action === undefined)
    return <span className="fork-text dim">{parent === undefined ? 'Start' : 'no further action'}</span>;
  const name = action.kind === 'answer' ? 'answer' : callName(action);
  const text = action.text.replace(/\s+/g, ' ').trim();
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN).toWellFormed()}…` : text;
  return (
    <span className="fork-text" title={quietText(`${name}\n${action.text}`)}>
      <b>
        <LogText text={name} longest={LONGEST_TOOL} />
      </b>{' '}
      <span className="mono">
        <LogText text={shown} />
      </span>
    </span>
  );
}

/** Characters of a tool's name. */
const LONGEST_TOOL = 60;

/** The outcomes of this node's calls, failures marked by a sign. */
function Outcomes({ node: { outcomes, members } }: { readonly node: ActionNode }) {
  if (outcomes.length === 0) return null;
  const title = outcomes
    .map(({ outcome, rollouts }) => `${OUTCOME_NAMES[outcome]}: ${counted(rollouts, 'rollout')}`)
    .join(', ');
  return (
    <div className="fork-line is-signal" title={`Came back: ${title}`}>
      {outcomes.map(({ outcome, rollouts }, i) => {
        const isFailed = TOOL_ERROR_OUTCOMES.has(outcome);
        return (
          <span key={outcome}>
            {i > 0 && ' · '}
            <span className={isFailed ? 'is-wrong' : undefined}>
              {isFailed && '✕ '}
              {OUTCOME_NAMES[outcome]}
            </span>
            {members.length > 1 && ` ${count(rollouts)}`}
          </span>
        );
      })}
    </div>
  );
}

/** The columns for which any rollout of the tree has a value. */
interface LeafColumns {
  readonly step: boolean;
  readonly kept: boolean;
  readonly answer: boolean;
}

interface LeafRowProps {
  readonly box: Box;
  readonly item: RolloutItem;
  readonly rollout: TreeRollout;
  readonly node: ForkNode | ActionNode | undefined;
  readonly href: string;
  readonly isCurrent: boolean;
  /** 1…4. 0: not marked. */
  readonly mark: number;
  /** Title if the rollout is in the compare set. */
  readonly compareMark: string | undefined;
  readonly columns: LeafColumns;
  readonly onChoose: () => void;
}

/** One rollout: its result, and its text or action after the last fork. A click opens its replay. */
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
        <span className="leaf-answer mono" title={plainLogText(rollout.answer ?? '')}>
          <AnswerText text={rollout.answer} />
        </span>
      )}
      {rollout.isCorrect === undefined && rollout.reward !== undefined && (
        <span className="leaf-step">reward {reward(rollout.reward)}</span>
      )}
      {node !== undefined && 'text' in node && <NodeText node={node} />}
      {node !== undefined && 'outcomes' in node && (
        <>
          <ActionText node={node} />
          <Outcomes node={node} />
          {node.after > 0 && (
            <span className="dim fork-after" title="Further actions of this rollout">
              + {counted(node.after, 'action')}
            </span>
          )}
        </>
      )}
    </Link>
  );
}
