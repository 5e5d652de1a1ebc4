/** Labels and notes in a comparison: their keys, and which rollouts they apply to. */
import { StickyNote } from 'lucide-react';
import { KeyOf } from '../../../shell/keys/Keys.tsx';
import { keyed, keyOf } from '../../../shell/keys/keysInForce.ts';
import { IconButton, Segmented } from '../../../ui/Controls.tsx';
import { LabelPanel } from '../../replay/labels/LabelPanel.tsx';
import { useLabelling } from '../../replay/labels/useLabelling.ts';
import { useLabelCommands } from '../../replay/labels/useReview.ts';
import type { Hit } from '../../replay/text/findModel.ts';
import type { LabelTarget } from './useLabelTarget.ts';
import '../../replay/labels/labels.css';

const useTargetLabelling = ({ detail, compared }: LabelTarget) =>
  // Labels of turns and selections are given in the replay.
  useLabelling(detail, { turn: 0, isBlind: false, brushed: undefined, compared });

export function LabelBar({ target }: { readonly target: LabelTarget }) {
  const { detail, compared } = target;
  const labelling = useTargetLabelling(target);
  useLabelCommands(detail.row.rolloutId, labelling, undefined);
  return (
    <section className="cmp-labels" aria-label="Labels and notes">
      {/* One line has to hold this beside the transport of four lanes. */}
      <button
        type="button"
        className="button is-small"
        title="Shows the labels by name, the findings of detectors and the flags in the side panel"
        onClick={compared.showPanel}
      >
        <span>
          Labels <KeyOf command="label.1" />–<KeyOf command="label.9" />, findings
        </span>
      </button>
      to
      <TargetChoice target={target} />
      <IconButton
        label={`Write a note on ${compared.names}`}
        keys={keyOf('note.write')}
        onClick={() => labelling.write()}
      >
        <StickyNote size={15} />
      </IconButton>
    </section>
  );
}

/** Shows the only lane of a comparison of one as text. */
function TargetChoice({ target: { choices, chosen, choose, compared } }: { readonly target: LabelTarget }) {
  if (choices.length === 1) return <b>{compared.names}</b>;
  return (
    <Segmented
      label="Apply labels to"
      chosen={String(chosen)}
      onChoose={(id) => choose(choices.find((one) => String(one.id) === id)?.id ?? chosen)}
      choices={choices.map(({ id, name }) => ({
        id: String(id),
        label: name,
        title: keyed(
          id === 'all' ? 'Each label or note goes to all rollouts' : `Only ${name}`,
          'label.scope',
        ),
      }))}
    />
  );
}

interface LaneLabelPanelProps {
  readonly target: LabelTarget;
  /** Shows a turn of the chosen lane. */
  readonly onShow: (turn: number) => void;
}

export function LaneLabelPanel({ target, onShow }: LaneLabelPanelProps) {
  const labelling = useTargetLabelling(target);
  return (
    <LabelPanel
      detail={target.detail}
      labelling={labelling}
      isBlind={false}
      onShow={({ turn }: Hit) => onShow(turn)}
      target={<TargetChoice target={target} />}
    />
  );
}
