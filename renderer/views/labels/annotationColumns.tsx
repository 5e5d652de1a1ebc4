import type { AnnotationRow, Taxonomy } from '../../../shared/api/contract.ts';
import { problemName } from '../../../shared/domain/question.ts';
import { labelOf } from '../../data/annotations.ts';
import { Chip } from '../../ui/Controls.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { LabelName } from '../../ui/Marks.tsx';
import { SourceText } from '../../ui/SourceText.tsx';
import { dayAndTime, wholeTime } from '../../ui/times.ts';
import type { Column } from '../../ui/VirtualTable.tsx';

const firstLine = (text: string): string => text.trim().split('\n', 1)[0] ?? '';

function aboutText({ target }: AnnotationRow): string {
  switch (target.kind) {
    case 'rollout':
      return 'rollout';
    case 'turn':
      return target.turn === 0 ? 'prompt' : `turn ${target.turn}`;
    case 'segment':
      return 'segment';
    case 'span':
      return 'text';
  }
}

export function annotationColumns(taxonomy: Taxonomy | undefined): readonly Column<AnnotationRow>[] {
  return [
    {
      id: 'label',
      label: 'label',
      minWidth: 150,
      grow: 1,
      cell: ({ label }) =>
        label === undefined ? (
          <span className="muted">note</span>
        ) : (
          <LabelName label={labelOf(taxonomy, label)} />
        ),
    },
    {
      id: 'where',
      label: 'rollout',
      hint: 'Run, step, group and position in the group',
      minWidth: 180,
      grow: 2,
      cell: ({ rollout: { run, step, group, ordinal }, question = '' }) => (
        <span title={plainLogText(`${run}, step ${step}, ${group}, #${ordinal}`)}>
          <b className="mono">#{ordinal}</b>{' '}
          <span className="muted">
            step {step} · {problemName({ problemId: group, question })}
          </span>
        </span>
      ),
    },
    {
      id: 'about',
      label: 'about',
      minWidth: 70,
      grow: 0,
      cell: (row) => <span className="muted">{aboutText(row)}</span>,
    },
    {
      id: 'quote',
      label: 'text',
      minWidth: 120,
      grow: 3,
      cell: ({ target }) =>
        target.kind === 'span' ? (
          <span className="mono">
            <SourceText text={firstLine(target.anchor.quote)} />
          </span>
        ) : null,
    },
    {
      id: 'note',
      label: 'note',
      minWidth: 120,
      grow: 4,
      cell: ({ note, correction }) =>
        note === undefined ? (
          correction === undefined ? null : (
            <span className="muted">suggests a correction</span>
          )
        ) : (
          <span title={plainLogText(note)}>{plainLogText(firstLine(note))}</span>
        ),
    },
    { id: 'severity', label: 'severity', minWidth: 66, grow: 0, cell: ({ severity }) => severity ?? null },
    {
      id: 'state',
      label: 'state',
      hint: 'Blank: in place. Moved: its text has moved. Orphaned: its text is gone. Unattached: its rollout is not in this library',
      minWidth: 92,
      grow: 0,
      cell: ({ place }) =>
        place === undefined ? (
          <Chip isWarning>unattached</Chip>
        ) : place.state === 'exact' ? null : (
          <Chip isWarning={place.state === 'orphaned'}>{place.state}</Chip>
        ),
    },
    {
      id: 'author',
      label: 'by',
      minWidth: 80,
      grow: 1,
      cell: ({ author }) => <span className="muted">{plainLogText(author)}</span>,
    },
    {
      id: 'time',
      label: 'changed',
      // Whole, also with `GMT+5:30` as its zone.
      minWidth: 176,
      grow: 0,
      cell: ({ updatedAt }) => (
        <span className="dim" title={wholeTime(updatedAt)}>
          {dayAndTime(updatedAt)}
        </span>
      ),
    },
  ];
}
