/** Conflicts between imported and existing annotations, side by side. An import never overwrites anything by itself. */

import { useQueryClient } from '@tanstack/react-query';
import type { Annotation, ConflictRow, ParamsOf } from '../../../shared/api/contract.ts';
import { annotationsChanged, labelOf, useTaxonomy } from '../../data/annotations.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { useRequest } from '../../data/useRequest.ts';
import { useInterface } from '../../state/interface.ts';
import { useLabelling } from '../../state/labelling.ts';
import { Button } from '../../ui/Controls.tsx';
import { LogText } from '../../ui/LogText.tsx';
import { LongText } from '../../ui/LongText.tsx';
import { LabelName } from '../../ui/Marks.tsx';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import { dayAndTime } from '../../ui/times.ts';
import { useFirstItems } from '../../ui/useFirstItems.tsx';

export function ConflictsTab() {
  const answer = useRequest('annotation.conflicts', {});
  const client = useClient();
  const queryClient = useQueryClient();
  const { setNotice } = useInterface.getState();
  const author = useLabelling((state) => state.reader);
  const resolve = async (params: ParamsOf<'annotation.resolve'>) => {
    try {
      const { words } = await client.request('annotation.resolve', { ...params, author });
      setNotice(words === undefined ? 'Already decided' : `${words}. Undo reverts it`);
      await annotationsChanged(queryClient);
    } catch (error) {
      setNotice(error instanceof Error ? error.message : String(error));
    }
  };
  if (answer.error !== null)
    return (
      <FailedState
        title="Conflicts could not be listed"
        error={answer.error}
        onRetry={() => void answer.refetch()}
      />
    );
  if (answer.data === undefined) return <WaitingState title="Loading conflicts…" />;
  if (answer.data.length === 0)
    return (
      <EmptyState title="No conflicts">
        <p>If an imported pack has another version of an annotation, both versions are shown here.</p>
      </EmptyState>
    );
  return <Conflicts conflicts={answer.data} onResolve={resolve} />;
}

interface ConflictsProps extends Pick<ConflictProps, 'onResolve'> {
  readonly conflicts: readonly ConflictRow[];
}

function Conflicts({ conflicts, onResolve }: ConflictsProps) {
  const { shown, more } = useFirstItems(conflicts, 'conflict');
  return (
    <div className="labels-scroll">
      <ul className="conflicts">
        {shown.map((conflict) => (
          <Conflict key={conflict.conflictId} conflict={conflict} onResolve={onResolve} />
        ))}
      </ul>
      {more}
    </div>
  );
}

interface ConflictProps {
  readonly conflict: ConflictRow;
  readonly onResolve: (params: ParamsOf<'annotation.resolve'>) => Promise<void>;
}

function Conflict({ conflict, onResolve }: ConflictProps) {
  const { conflictId, mine, theirs, from, at } = conflict;
  const { group, ordinal, step } = theirs.rollout;
  const take = (what: 'mine' | 'theirs' | 'both') => () => void onResolve({ conflictId, take: what });
  return (
    <li>
      <p>
        <span className="mono">#{ordinal}</span> <LogText text={group} /> · step {step}
        <span className="muted">
          {' '}
          · from{' '}
          <span className="mono">
            <LogText text={from} />
          </span>
          , {dayAndTime(at)}
        </span>
      </p>
      <div className="conflict-sides">
        <Version title="Here" annotation={mine} other={theirs} />
        <Version title="In the pack" annotation={theirs} other={mine} />
      </div>
      <p className="conflict-buttons">
        <Button onClick={take('mine')}>Keep what is here</Button>
        <Button onClick={take('theirs')}>Take theirs</Button>
        <Button onClick={take('both')}>Keep both</Button>
      </p>
    </li>
  );
}

interface VersionProps {
  readonly title: string;
  /** Absent: it was removed since. */
  readonly annotation: Annotation | undefined;
  readonly other: Annotation | undefined;
}

function Version({ title, annotation, other }: VersionProps) {
  const taxonomy = useTaxonomy();
  if (annotation === undefined)
    return (
      <div className="conflict-version">
        <h2>{title}</h2>
        <p className="dim">removed since</p>
      </div>
    );
  const differs = (field: 'label' | 'note' | 'correction' | 'severity' | 'author') =>
    annotation[field] === other?.[field] ? undefined : 'is-different';
  return (
    <dl className="conflict-version">
      <h2>{title}</h2>
      <dt>label</dt>
      <dd className={differs('label')}>
        {annotation.label === undefined ? (
          <span className="dim">none</span>
        ) : (
          <LabelName label={labelOf(taxonomy, annotation.label)} />
        )}
      </dd>
      <dt>note</dt>
      <dd className={differs('note')}>
        <Words text={annotation.note} />
      </dd>
      <dt>correction</dt>
      <dd className={differs('correction')}>
        <Words text={annotation.correction} />
      </dd>
      <dt>severity</dt>
      <dd className={differs('severity')}>{annotation.severity ?? <span className="dim">none</span>}</dd>
      <dt>by</dt>
      <dd className={differs('author')}>
        <LogText text={annotation.author} /> <span className="dim">{dayAndTime(annotation.updatedAt)}</span>
      </dd>
    </dl>
  );
}

function Words({ text }: { readonly text: string | undefined }) {
  return text === undefined ? <span className="dim">none</span> : <LongText text={text} />;
}
