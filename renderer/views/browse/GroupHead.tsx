import type { ReactNode } from 'react';
import type { GroupRow } from '../../../shared/api/contract.ts';
import { keyed } from '../../app/keysInForce.ts';
import { pathOfPlace } from '../../data/place.ts';
import { Chip } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';
import { KeptMark, RightMark } from '../../ui/Marks.tsx';
import { counted } from '../../ui/numbers.ts';
import { SamePlaces } from './SamePlaces.tsx';

interface GroupHeadProps {
  readonly runKey: string;
  readonly group: GroupRow;
  /** Chips that say where the group and its decisions come from. */
  readonly children: ReactNode;
}

/** Which problem this group attempts, and how it went. */
export function GroupHead({ runKey, group, children }: GroupHeadProps) {
  return (
    <>
      <header className="page-head">
        <h1 title={group.groupKey}>{`${counted(group.rollouts, 'rollout')} of ${group.problemId}`}</h1>
        {group.correctKnown > 0 && (
          <Chip>
            <RightMark isCorrect /> {group.correct} right
            <RightMark isCorrect={false} /> {group.correctKnown - group.correct} wrong
          </Chip>
        )}
        {group.decided > 0 && (
          <Chip title="As logged">
            <KeptMark isKept /> {group.kept} kept
            <KeptMark isKept={false} /> {group.decided - group.kept} discarded
          </Chip>
        )}
        {children}
        <div className="end">
          {group.groundTruth !== undefined && (
            <span className="truth" title={group.groundTruth}>
              ground truth <span className="mono">{group.groundTruth}</span>
            </span>
          )}
          {group.rollouts > 1 && (
            <Link
              className="is-link"
              href={pathOfPlace({ view: 'groupTree', runKey, step: group.step, groupKey: group.groupKey })}
              title={keyed('Where these rollouts part, as a tree', 'place.tree')}
            >
              Fork tree
            </Link>
          )}
          <Link
            className="is-link"
            href={pathOfPlace({ view: 'groupTokens', runKey, step: group.step, groupKey: group.groupKey })}
            title={keyed('Statistics of the tokens of this group', 'place.tokens')}
          >
            Tokens
          </Link>
        </div>
      </header>
      {group.promptPreview !== '' && (
        <p className="problem" title={group.promptPreview}>
          {group.promptPreview}
        </p>
      )}
      <SamePlaces groupId={group.groupId} />
    </>
  );
}
