/** The editors of a library's labels. */
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { TaxonomyTab } from '../../renderer/views/labels/TaxonomyTab.tsx';
import type { Label } from '../../shared/domain/annotate/taxonomy.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

afterEach(cleanup);

it('draws the first 100 labels of an imported file, and more when asked to', async () => {
  const labels = Array.from(
    { length: 3_000 },
    (_, i): Label => ({ id: `l${i}`, name: `Label ${i}`, colour: 'grey', description: '' }),
  );
  const client = createFakeClient({
    'taxonomy.get': () => ({
      taxonomy: { name: 'long', choice: 'many', labels },
      counts: [],
      isDefault: false,
    }),
  });
  const { container } = renderWithClient(client, <TaxonomyTab />);
  const more = await screen.findByRole('button', { name: 'Show 100 more' });
  const editors = () => container.querySelectorAll('.label-editors > li').length;
  expect(editors()).toBe(100);
  expect(container.textContent).toContain('2,900 more labels not shown.');
  fireEvent.click(more);
  expect(editors()).toBe(200);
});
