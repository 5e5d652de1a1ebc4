/** Annotations of a rollout beside its replay. */
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { AnnotationChips } from '../../renderer/views/replay/labels/AnnotationChips.tsx';
import { LabelPanel } from '../../renderer/views/replay/labels/LabelPanel.tsx';
import type { Labelling } from '../../renderer/views/replay/labels/useLabelling.ts';
import type { AnnotationRow } from '../../shared/api/contract.ts';
import { DEFAULT_TAXONOMY } from '../../shared/domain/annotate/taxonomy.ts';
import { drawCompared } from '../support/drawCompared.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

afterEach(cleanup);

const notes = (count: number, note: string) =>
  Array.from({ length: count }, (_, i) => ({
    ...{ id: `${i}`, target: { kind: 'rollout' }, author: 'a\u202eb', updatedAt: 1, conflicts: 0, note },
  })) as unknown as readonly AnnotationRow[];

it('draws the first hundred, counts all, and shows more when asked to', () => {
  const detail = drawCompared(['A1', 'A1']).lanes[0]?.detail;
  if (detail === undefined) throw new Error('no rollout was drawn');
  const labelling = {
    ...{ taxonomy: DEFAULT_TAXONOMY, annotations: notes(5_000, 'looks wrong'), unlisted: 95_000 },
    ...{ given: new Set(), reader: 'me', scope: { kind: 'rollout' } },
  } as unknown as Labelling;
  const { container } = renderWithClient(
    createFakeClient({ 'annotation.history': () => ({ revision: 1 }) as never }),
    <LabelPanel detail={detail} labelling={labelling} isBlind={false} onShow={() => undefined} />,
  );
  expect(screen.getByText('100,000 annotations')).toBeTruthy();
  expect(container.textContent).toContain('The 95,000 that were added first are not shown here.');
  expect(container.querySelectorAll('.annotation')).toHaveLength(100);
  expect(container.textContent).not.toContain('\u202e');
  fireEvent.click(screen.getByRole('button', { name: 'Show 100 more' }));
  expect(container.querySelectorAll('.annotation')).toHaveLength(200);
});

it('draws the beginning of a text that takes long to draw, and more when asked to', () => {
  const detail = drawCompared(['A1', 'A1']).lanes[0]?.detail;
  if (detail === undefined) throw new Error('no rollout was drawn');
  const [note] = notes(1, '\u05d0a'.repeat(100_000));
  const labelling = {
    ...{ taxonomy: DEFAULT_TAXONOMY, annotations: [{ ...note, correction: note?.note }], unlisted: 0 },
    ...{ given: new Set(), reader: 'me', scope: { kind: 'rollout' } },
  } as unknown as Labelling;
  const { container } = renderWithClient(
    createFakeClient({ 'annotation.history': () => ({ revision: 1 }) as never }),
    <LabelPanel detail={detail} labelling={labelling} isBlind={false} onShow={() => undefined} />,
  );
  const drawn = () => container.textContent?.match(/\u05d0/g)?.length ?? 0;
  const first = drawn();
  expect(first).toBeGreaterThan(100);
  expect(first).toBeLessThan(1_000);
  const edit = screen.getByRole<HTMLButtonElement>('button', { name: 'Its text is too long for a field' });
  expect(edit.disabled).toBe(true);
  fireEvent.click(screen.getAllByRole('button', { name: 'Show more' })[0] as HTMLElement);
  expect(drawn()).toBe(first + first / 2);
});

it('names the first chips, and draws their hidden characters', () => {
  const { container } = renderWithClient(
    createFakeClient({}),
    <AnnotationChips annotations={notes(5_000, 'x\u202ey')} taxonomy={DEFAULT_TAXONOMY} unlisted={95_000} />,
  );
  expect(container.textContent).not.toContain('\u202e');
  const rest = screen.getByText('+99,997');
  expect(rest.title).toMatch(/^x⟨RLO⟩y, .*4,977 more$/);
  expect(rest.title.length).toBeLessThan(200);
});
