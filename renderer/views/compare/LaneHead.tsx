/** The head of a lane: its rollout, its relation to the baseline, and its actions. */

import { ArrowLeft, ArrowRight, X } from 'lucide-react';
import type { DragEvent } from 'react';
import { useAnnotations, useTaxonomy } from '../../data/annotations.ts';
import { rolloutRouteOf } from '../../data/compareLink.ts';
import { pathOfRoute } from '../../data/route.ts';
import { keyed, keyOf, keyWord } from '../../shell/keys/keysInForce.ts';
import { Chip, IconButton } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { KeptMark, RightMark } from '../../ui/Marks.tsx';
import { CodeMenu } from '../../widgets/CodeState.tsx';
import { AnnotationChips } from '../replay/labels/AnnotationChips.tsx';
import {
  type Compared,
  type Lane,
  type LaneNote,
  type LaneSlot,
  laneName,
  letterOf,
  prefixText,
} from './lanes/laneModel.ts';
import type { LinkActions } from './useCompareLink.ts';

interface LaneHeadProps {
  readonly slot: LaneSlot;
  readonly lanes: readonly Lane[];
  readonly compared: Compared | undefined;
  readonly isBase: boolean;
  readonly isOn: boolean;
  readonly count: number;
  readonly notes: readonly LaneNote[];
  readonly actions: LinkActions;
}

/** A private MIME type, so that only lanes of this page can be dropped. */
const DRAGGED = 'application/x-turnwise-lane';

export function LaneHead(props: LaneHeadProps) {
  const { slot, isBase, isOn, count, actions } = props;
  const { index } = slot;
  const letter = letterOf(index);
  const drop = (event: DragEvent) => {
    const from = Number.parseInt(event.dataTransfer.getData(DRAGGED), 10);
    if (Number.isNaN(from)) return;
    event.preventDefault();
    event.stopPropagation();
    if (from !== index) actions.move(from, index);
  };
  const names = ['cmp-lane'];
  if (isBase) names.push('is-base');
  if (isOn) names.push('is-on');
  if (slot.state === 'missing') names.push('is-missing');
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be dragged in every browser
    <div
      className={names.join(' ')}
      role="group"
      aria-label={`Lane ${letter}`}
      draggable
      onDragStart={(event) => {
        event.dataTransfer.setData(DRAGGED, String(index));
        event.dataTransfer.effectAllowed = 'move';
      }}
      onDragOver={(event) => event.dataTransfer.types.includes(DRAGGED) && event.preventDefault()}
      onDrop={drop}
    >
      <button
        type="button"
        className="cmp-letter"
        aria-pressed={isOn}
        title={
          isOn
            ? `${letter} is the chosen lane`
            : `choose ${letter} (${keyWord('lane.previous')} and ${keyWord('lane.next')})`
        }
        onClick={() => actions.change({ on: index })}
      >
        {letter}
      </button>
      {slot.state === 'found' ? (
        <FoundName lane={slot.lane} lanes={props.lanes} />
      ) : (
        <span
          className={slot.state === 'waiting' ? 'cmp-lane-name' : 'cmp-lane-name muted'}
          title={plainLogText(slot.path)}
        >
          {slot.state === 'waiting' ? (
            <span className="skeleton" style={{ width: 90 }} />
          ) : (
            missingName(slot.path)
          )}
        </span>
      )}
      {isBase && slot.state === 'found' ? (
        <Chip title="other lanes are compared with this lane">baseline</Chip>
      ) : (
        slot.state === 'found' && (
          <button
            type="button"
            className="is-link cmp-make-base"
            title={keyed('compare other lanes with this lane', 'lane.baseline')}
            onClick={() => actions.makeBase(index)}
          >
            use as baseline
          </button>
        )
      )}
      <span className="end">
        {slot.state === 'found' && (
          <CodeMenu detail={slot.lane.detail} hasCommands={isOn || count === 1} size={13} />
        )}
        {index > 0 && (
          <IconButton
            label={`Move ${letter} to the left`}
            keys={keyOf('lane.left')}
            onClick={() => actions.move(index, index - 1)}
          >
            <ArrowLeft size={13} />
          </IconButton>
        )}
        {index < count - 1 && (
          <IconButton
            label={`Move ${letter} to the right`}
            keys={keyOf('lane.right')}
            onClick={() => actions.move(index, index + 1)}
          >
            <ArrowRight size={13} />
          </IconButton>
        )}
        <IconButton
          label={`Remove ${letter}`}
          keys={keyOf('lane.remove')}
          onClick={() => actions.remove(index)}
        >
          <X size={13} />
        </IconButton>
      </span>
      <LaneStanding {...props} />
    </div>
  );
}

/** The short name of a missing rollout, from its path in the URL. The tooltip shows the whole path. */
function missingName(path: string): string {
  const route = rolloutRouteOf(path);
  return route === undefined ? 'not found' : `#${route.ordinal} not found`;
}

function FoundName({ lane, lanes }: { readonly lane: Lane; readonly lanes: readonly Lane[] }) {
  const { name, full } = laneName(lane, lanes);
  const { row } = lane.detail;
  return (
    <span className="cmp-lane-name">
      <RightMark isCorrect={row.isCorrect} source={row.correctSource} /> <KeptMark isKept={row.kept} />{' '}
      <Link
        className="is-link"
        href={pathOfRoute(lane.route)}
        title={plainLogText(`${full}: open its replay`)}
      >
        {plainLogText(name)}
      </Link>
    </span>
  );
}

function LaneStanding({ slot, compared, notes, isBase, actions }: LaneHeadProps) {
  if (slot.state === 'missing')
    return (
      <p className="cmp-lane-standing">
        {slot.why}{' '}
        <button type="button" className="is-link" onClick={() => actions.remove(slot.index)}>
          Remove
        </button>
      </p>
    );
  if (slot.state === 'failed')
    return (
      <p className="cmp-lane-standing is-wrong" role="alert">
        ✕ {slot.error.message}{' '}
        <button type="button" className="is-link" onClick={slot.retry}>
          Try again
        </button>
      </p>
    );
  const at = compared?.lanes.findIndex(({ index }) => index === slot.index) ?? -1;
  const text = compared === undefined || at < 0 || isBase ? '' : prefixText(compared, at);
  return (
    <p className="cmp-lane-standing">
      {slot.state === 'found' && <LaneChips rolloutId={slot.lane.detail.row.rolloutId} />}
      {text !== '' && <span className="muted">{text}</span>}
      {notes.map((note) => (
        <Chip key={note.text} title={note.hint} {...(note.isWarning ? { isWarning: true } : {})}>
          {note.text}
        </Chip>
      ))}
    </p>
  );
}

/** Labels and notes of a lane's rollout and of its parts. Empty for a rollout without labels and notes. */
function LaneChips({ rolloutId }: { readonly rolloutId: number }) {
  const { annotations = [], unlisted } = useAnnotations(rolloutId) ?? {};
  return <AnnotationChips annotations={annotations} taxonomy={useTaxonomy()} unlisted={unlisted} />;
}
