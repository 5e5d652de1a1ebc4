/** Labels and notes of a rollout: the keys, the annotations, and the automatic flags. */

import { Redo2, StickyNote, Undo2 } from 'lucide-react';
import type { ReactNode } from 'react';
import type { RolloutDetail } from '../../../../shared/api/contract.ts';
import { useRequest } from '../../../data/useRequest.ts';
import { keyed, keyOf } from '../../../shell/keys/keysInForce.ts';
import { useLabelling as useStore } from '../../../state/labelling.ts';
import { IconButton, Segmented } from '../../../ui/Controls.tsx';
import { plainLogText } from '../../../ui/LogText.tsx';
import { LabelName } from '../../../ui/Marks.tsx';
import { count, counted } from '../../../ui/numbers.ts';
import { useFirstItems } from '../../../ui/useFirstItems.tsx';
import type { Hit } from '../text/findModel.ts';
import { AnnotationCard } from './AnnotationCard.tsx';
import { FlagList } from './FlagList.tsx';
import { placeOf, targetLabel } from './labelModel.ts';
import { NoteEditor } from './NoteEditor.tsx';
import type { Labelling } from './useLabelling.ts';

/** Cards in the panel before it is asked for more. */
const MOST_CARDS = 100;

export interface LabelPanelProps {
  readonly detail: RolloutDetail;
  readonly labelling: Labelling;
  readonly isBlind: boolean;
  readonly onShow: (hit: Hit) => void;
  /** The target of the keys. Default: the rollout or the turn. */
  readonly target?: ReactNode;
}

export function LabelPanel({ detail, labelling, isBlind, onShow, target }: LabelPanelProps) {
  const { taxonomy, annotations, unlisted, draft, given, reader } = labelling;
  const history = useRequest('annotation.history', { author: reader }).data;
  const { shown, more } = useFirstItems(annotations, 'annotation', MOST_CARDS);
  return (
    <section className="label-panel" aria-label="Labels">
      <section>
        <div className="label-scope">
          {target ?? <TurnChoice labelling={labelling} />}
          <span className="label-tools">
            <IconButton label="Write a note" keys={keyOf('note.write')} onClick={() => labelling.write()}>
              <StickyNote size={15} />
            </IconButton>
            <IconButton
              label={history?.undo === undefined ? 'Nothing to undo' : `Undo: ${history.undo}`}
              keys={keyOf('label.undo')}
              disabled={history?.undo === undefined}
              onClick={() => void labelling.undo()}
            >
              <Undo2 size={15} />
            </IconButton>
            <IconButton
              label={history?.redo === undefined ? 'Nothing to redo' : `Redo: ${history.redo}`}
              keys={keyOf('label.redo')}
              disabled={history?.redo === undefined}
              onClick={() => void labelling.redo()}
            >
              <Redo2 size={15} />
            </IconButton>
          </span>
        </div>
        {target === undefined && (
          <p className="dim">
            {labelling.scope.kind === 'span'
              ? 'Keys label the selected tokens.'
              : 'Select text, then press a key to label only that text.'}
          </p>
        )}
        <ul className="label-keys">
          {taxonomy?.labels.map((label) => (
            <li key={label.id}>
              <button
                type="button"
                aria-pressed={given.has(label.id)}
                // A mousedown would clear the text selection before the click could use it.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => labelling.putLabel(label)}
                title={plainLogText(label.description)}
              >
                {label.key === undefined ? <span className="label-no-key" /> : <kbd>{label.key}</kbd>}
                <LabelName label={label} />
              </button>
            </li>
          ))}
        </ul>
      </section>
      {draft !== undefined && (
        <section>
          <NoteEditor labelling={labelling} draft={draft} />
        </section>
      )}
      <section>
        <h2>
          {annotations.length === 0
            ? 'No labels or notes yet'
            : counted(annotations.length + unlisted, 'annotation')}
        </h2>
        {unlisted > 0 && (
          <p className="dim">
            The {count(unlisted)} that were added first are not shown here. The page Labels lists all.
          </p>
        )}
        {isBlind && <p className="dim">Blind review: annotations of others are hidden.</p>}
        <ul className="annotations">
          {shown.map((annotation) => {
            const place = placeOf(annotation, detail);
            return (
              <AnnotationCard
                key={annotation.id}
                annotation={annotation}
                taxonomy={taxonomy}
                onShow={place === undefined ? undefined : () => onShow(place)}
                onEdit={() => labelling.edit(annotation)}
                onRemove={() => labelling.removeOne(annotation)}
              />
            );
          })}
        </ul>
        {more}
      </section>
      {!isBlind && <FlagList detail={detail} labelling={labelling} onShow={onShow} />}
    </section>
  );
}

/** Whether keys label the whole rollout or the current turn. */
function TurnChoice({ labelling: { scope } }: { readonly labelling: Labelling }) {
  const setScope = useStore((state) => state.setScope);
  return (
    <Segmented
      label="Apply labels to"
      chosen={scope.kind === 'turn' ? 'turn' : 'rollout'}
      onChoose={setScope}
      choices={[
        {
          id: 'rollout',
          label: 'rollout',
          title: keyed('Keys label the whole rollout, or the selected text', 'label.scope'),
        },
        {
          id: 'turn',
          label: scope.kind === 'turn' ? targetLabel(scope) : 'turn',
          title: keyed('Keys label the current turn, or the selected text', 'label.scope'),
        },
      ]}
    />
  );
}
