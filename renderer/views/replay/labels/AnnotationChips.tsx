/** Annotations of a turn or a segment, in its head. A segment also has a button that adds one. */

import { Tag } from 'lucide-react';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import type { AnnotationRow, Taxonomy } from '../../../../shared/api/contract.ts';
import { labelOf } from '../../../data/annotations.ts';
import { LogText, plainLogText } from '../../../ui/LogText.tsx';
import { LabelName } from '../../../ui/Marks.tsx';
import { count } from '../../../ui/numbers.ts';
import { firstLine, firstOf } from './labelModel.ts';
import type { Labelling } from './useLabelling.ts';

interface Said {
  readonly annotations: readonly AnnotationRow[];
  readonly taxonomy: Taxonomy | undefined;
  readonly write: Labelling['write'];
}

const SaidContext = createContext<Said | undefined>(undefined);

export function SaidOf({
  labelling,
  children,
}: {
  readonly labelling: Labelling;
  readonly children: ReactNode;
}) {
  const { annotations, taxonomy, write } = labelling;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `write` is a new function on every render, but does the same
  const said = useMemo(() => ({ annotations, taxonomy, write }), [annotations, taxonomy]);
  return <SaidContext value={said}>{children}</SaidContext>;
}

export function TurnChips({ turn }: { readonly turn: number }) {
  const said = useContext(SaidContext);
  return <Chips said={said} isOf={({ target }) => target.kind === 'turn' && target.turn === turn} />;
}

export function SegmentChips({ segment }: { readonly segment: number }) {
  const said = useContext(SaidContext);
  return (
    <>
      <Chips said={said} isOf={({ target }) => target.kind === 'segment' && target.segment === segment} />
      {said !== undefined && (
        <button
          type="button"
          className="segment-label"
          aria-label="Label or note on this segment"
          title="Label or note on this segment"
          onClick={() => said.write({ kind: 'segment', segment })}
        >
          <Tag size={13} />
        </button>
      )}
    </>
  );
}

/** Further chips are only counted. The panel lists all. */
const MOST_CHIPS = 3;
/** Names in the tooltip of that number. */
const MOST_NAMES = 20;

interface ChipsProps {
  readonly said: Said | undefined;
  readonly isOf: (annotation: AnnotationRow) => boolean;
}

function Chips({ said, isOf }: ChipsProps) {
  return said === undefined ? null : (
    <AnnotationChips annotations={said.annotations.filter(isOf)} taxonomy={said.taxonomy} />
  );
}

/** The first annotations of a list, and the number of the others. */
export function AnnotationChips({
  annotations: own,
  taxonomy,
  unlisted = 0,
}: {
  readonly annotations: readonly AnnotationRow[];
  readonly taxonomy: Taxonomy | undefined;
  /** Older ones that are only counted. */
  readonly unlisted?: number | undefined;
}) {
  const namesOf = ({ label, note }: AnnotationRow) =>
    label === undefined ? firstLine(note) : labelOf(taxonomy, label).name;
  const others = own.slice(MOST_CHIPS);
  return (
    <>
      {own.slice(0, MOST_CHIPS).map(({ id, label, note, place }) => (
        <span key={id} className="said-chip" title={note === undefined ? undefined : plainLogText(note)}>
          {label === undefined ? (
            <span className="muted said-words">
              <LogText text={firstLine(note)} />
            </span>
          ) : (
            <LabelName label={labelOf(taxonomy, label)} />
          )}
          {place?.state === 'moved' && <small className="dim">moved</small>}
        </span>
      ))}
      {others.length > 0 && (
        <span className="muted" title={firstOf(others.map(namesOf), MOST_NAMES, ', ')}>
          +{count(others.length + unlisted)}
        </span>
      )}
    </>
  );
}
