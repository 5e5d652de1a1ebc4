import type { AlikeRollout } from '../../../shared/api/contract.ts';
import { plainLogText } from '../../ui/LogText.tsx';
import { KeptMark, RightMark } from '../../ui/Marks.tsx';
import { count, percent, reward } from '../../ui/numbers.ts';
import type { Column } from '../../ui/VirtualTable.tsx';
import { AnswerText } from '../../widgets/AnswerText.tsx';

interface Known {
  readonly ownRunKey: string;
  /** Whether any row of the list passes a test. Columns without values are left out. */
  readonly has: (test: (rollout: AlikeRollout) => boolean) => boolean;
}

export function alikeColumns({ ownRunKey, has }: Known): readonly Column<AlikeRollout>[] {
  const columns: (Column<AlikeRollout> | undefined)[] = [
    {
      id: 'rollout',
      label: 'rollout',
      minWidth: 66,
      grow: 0,
      cell: (row) => <b className="mono">#{row.ordinal}</b>,
    },
    {
      id: 'where',
      label: 'where',
      hint: 'Sibling: same group. Otherwise its step, and its run if different',
      minWidth: 92,
      grow: 1,
      cell: (row) =>
        row.isSibling ? (
          'sibling'
        ) : (
          <span className="muted">
            {row.runKey === ownRunKey ? '' : `${plainLogText(row.runKey)} · `}step {row.step}
          </span>
        ),
    },
    has(({ isCorrect }) => isCorrect !== undefined)
      ? {
          id: 'right',
          label: '✓',
          hint: 'Correct or incorrect',
          minWidth: 22,
          grow: 0,
          cell: (row) => <RightMark isCorrect={row.isCorrect} />,
        }
      : {
          id: 'reward',
          label: 'reward',
          align: 'end',
          minWidth: 56,
          grow: 0,
          cell: (row) => reward(row.reward),
        },
    has(({ kept }) => kept !== undefined)
      ? {
          id: 'kept',
          label: 'kept',
          hint: 'Kept in the update or discarded, as logged',
          minWidth: 34,
          grow: 0,
          cell: (row) => <KeptMark isKept={row.kept} />,
        }
      : undefined,
    {
      id: 'chars',
      label: 'common beginning',
      unit: 'chars',
      hint: 'Characters that both responses have in common at the beginning',
      align: 'end',
      minWidth: 138,
      grow: 0,
      cell: (row) => count(row.sharedPrefixChars),
    },
    has(({ sharedPrefixTokens }) => sharedPrefixTokens !== undefined)
      ? {
          id: 'tokens',
          label: '',
          unit: 'tokens',
          hint: 'Tokens in common at the beginning. Blank if one of them has no tokens placed on its text',
          align: 'end',
          minWidth: 56,
          grow: 0,
          cell: (row) => count(row.sharedPrefixTokens),
        }
      : undefined,
    {
      id: 'turns',
      label: '',
      unit: 'turns',
      hint: 'Equal turns from the first one, segment by segment',
      align: 'end',
      minWidth: 44,
      grow: 0,
      cell: (row) => count(row.sharedTurns),
    },
    has(({ codeLikeness }) => codeLikeness !== undefined)
      ? {
          id: 'code',
          label: 'code similarity',
          unit: '%',
          hint: 'Similarity of all tool calls, estimated from sketches of their words. Blank if neither has any',
          align: 'end',
          minWidth: 118,
          grow: 0,
          cell: (row) => <Likeness value={row.codeLikeness} />,
        }
      : undefined,
    {
      id: 'text',
      label: 'text similarity',
      unit: '%',
      hint: 'Similarity of everything else that the policy wrote, estimated from sketches of its words',
      align: 'end',
      minWidth: 118,
      grow: 0,
      cell: (row) => <Likeness value={row.textLikeness} />,
    },
    has(({ answer }) => answer !== undefined)
      ? {
          id: 'answer',
          label: 'answer',
          minWidth: 92,
          grow: 2,
          cell: (row) => (
            <span className="mono" title={plainLogText(row.answer ?? '')}>
              <AnswerText text={row.answer} />
            </span>
          ),
        }
      : undefined,
  ];
  return columns.filter((column) => column !== undefined);
}

function Likeness({ value }: { readonly value: number | undefined }) {
  if (value === undefined) return null;
  return (
    <span className="alike-cell">
      <span className="bar-cell" aria-hidden>
        <i style={{ width: `${value * 100}%`, background: 'var(--accent)' }} />
      </span>
      <span className="alike-number">{percent(value, 0)}</span>
    </span>
  );
}
