import type { UseQueryResult } from '@tanstack/react-query';
import type { MappingPreview, PreviewRollout } from '../../../shared/api/contract.ts';
import { KeptMark, RightMark } from '../../ui/Marks.tsx';
import { count, counted, reward } from '../../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import { GROUPED_BY, groupsText, type PreviewRow, previewRows } from './mappingModel.ts';
import { oneLine } from './recordTreeModel.ts';

interface PreviewPaneProps {
  readonly preview: UseQueryResult<MappingPreview, Error>;
  /** Whether the fields have changed since this preview. */
  readonly isBehind: boolean;
  /** Whether there can be no rollouts yet, because neither messages nor a response is mapped. */
  readonly isEmpty: boolean;
  readonly at: number;
  readonly onAt: (at: number) => void;
}

export function PreviewPane({ preview, isBehind, isEmpty, at, onAt }: PreviewPaneProps) {
  return (
    <section className="mapping-pane mapping-preview" aria-label="Preview" aria-busy={isBehind}>
      {isEmpty ? (
        <EmptyState title="No rollout yet">
          <p>
            Choose where the response or the messages are. The first records then appear here as rollouts.
          </p>
        </EmptyState>
      ) : (
        <PreviewBody preview={preview} at={at} onAt={onAt} />
      )}
    </section>
  );
}

function PreviewBody({ preview, at, onAt }: Omit<PreviewPaneProps, 'isBehind' | 'isEmpty'>) {
  if (preview.error !== null) {
    return (
      <FailedState
        title="The preview could not be made"
        error={preview.error}
        onRetry={() => void preview.refetch()}
      />
    );
  }
  if (preview.data === undefined) return <WaitingState title="Reading records…" />;
  const { rows, rollouts, refused, warnings } = previewRows(preview.data);
  return (
    <>
      <div className="mapping-pane-head">
        <h2>As rollouts</h2>
        <span className="dim" role="status">
          First {counted(preview.data.records.length, 'record')} → {counted(rollouts, 'rollout')}
          {rollouts > 0 && ` in ${groupsText(preview.data)}`}
        </span>
        {warnings > 0 && <span>△ {counted(warnings, 'issue')} in these records</span>}
        {refused > 0 && <span className="is-wrong">✕ {counted(refused, 'record')} refused</span>}
      </div>
      <div className="mapping-rows">
        <table>
          <colgroup>
            <col style={{ width: 62 }} />
            <col />
            <col />
            <col style={{ width: 66 }} />
            <col style={{ width: 46 }} />
            <col style={{ width: 140 }} />
            <col style={{ width: 56 }} />
            <col style={{ width: 46 }} />
            <col style={{ width: 54 }} />
            <col style={{ width: 50 }} />
            <col style={{ width: 66 }} />
            <col />
          </colgroup>
          <thead>
            <tr>
              <th className="is-end">record</th>
              <th>prompt</th>
              <th>response</th>
              <th className="is-end">reward</th>
              <th>correct</th>
              <th>prompt group</th>
              <th className="is-end">step</th>
              <th>kept</th>
              <th className="is-end">turns</th>
              <th className="is-end">calls</th>
              <th className="is-end">tokens</th>
              <th>issues</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.key} aria-selected={row.at === at} onClick={() => onAt(row.at)}>
                <td className="is-end dim">{row.record}</td>
                {row.rollout === undefined ? (
                  <td colSpan={11} className="mapping-refused">
                    <span className="is-wrong">✕ not a rollout</span> <Issues issues={row.issues} />
                  </td>
                ) : (
                  <>
                    <RolloutCells rollout={row.rollout} />
                    <td className="mapping-issues">
                      <Issues issues={row.issues} />
                    </td>
                  </>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Issues({ issues }: { readonly issues: PreviewRow['issues'] }) {
  return distinct(issues).map((issue) => (
    <span
      key={`${issue.code} ${issue.message}`}
      className={issue.severity === 'refused' ? 'is-wrong' : undefined}
    >
      {issue.severity === 'refused' ? '✕' : '△'} {issue.message}
    </span>
  ));
}

/** Several rollouts of a record may have the same issue. */
function distinct(issues: PreviewRow['issues']): PreviewRow['issues'] {
  return [...new Map(issues.map((issue) => [`${issue.code} ${issue.message}`, issue])).values()];
}

function RolloutCells({ rollout }: { readonly rollout: PreviewRollout }) {
  const { groupKey, groupRule, ordinal } = rollout;
  return (
    <>
      <td className="mapping-words" title={rollout.prompt}>
        {oneLine(rollout.prompt, 160)}
      </td>
      <td className="mapping-words" title={rollout.response}>
        {oneLine(rollout.response, 160)}
      </td>
      <td className="is-end">{reward(rollout.reward)}</td>
      <td>
        <RightMark isCorrect={rollout.isCorrect} />
      </td>
      <td className="mapping-group" title={`${groupKey}: ${GROUPED_BY[groupRule]}`}>
        {groupRule !== 'logged' && <span className="dim">{GROUPED_BY[groupRule]}</span>}
        {groupRule === 'problem' && ' '}
        {(groupRule === 'logged' || groupRule === 'problem') && <span className="mono">{groupKey}</span>}
        {ordinal !== undefined && <span className="dim"> #{ordinal}</span>}
      </td>
      <td className="is-end">{rollout.step ?? ''}</td>
      <td>
        <KeptMark isKept={rollout.kept} />
      </td>
      <td className="is-end">{count(rollout.turns)}</td>
      <td className="is-end">{count(rollout.toolCalls)}</td>
      <td className="is-end" title={rollout.signals.join(', ')}>
        {count(rollout.tokens)}
      </td>
    </>
  );
}
