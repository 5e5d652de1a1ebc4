/** A recorded call whose code has chosen its names to deceive. */
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { Stepper } from '../../renderer/widgets/rerun/Stepper.tsx';
import type { PythonReport } from '../../shared/domain/pythonAnswer.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

afterEach(cleanup);

it('draws hidden characters of functions, values and sizes', () => {
  const bad = 'a\u202eb';
  const variable = { name: bad, type: bad, value: bad, size: bad };
  const at = { line: 1, frame: 1, function: bad, changed: [variable], gone: [], value: bad };
  const trace = {
    isCut: false,
    steps: [
      { event: 'return' as const, ...at },
      { event: 'exception' as const, ...at },
      { event: 'line' as const, ...at },
    ],
  };
  const report: PythonReport = {
    ...{ kind: 'done', stdout: '', stderr: '', isCut: false, milliseconds: 1, variables: [variable], trace },
  };
  const { container } = renderWithClient(
    createFakeClient({}),
    <Stepper code={bad} trace={trace} report={report} isSession={false} />,
  );
  for (const step of [0, 1, 2, 3]) {
    fireEvent.change(screen.getByRole('slider', { name: 'Step' }), { target: { value: step } });
    expect(container.textContent).not.toContain('\u202e');
    if (step < 3) expect(screen.getByRole('status').textContent).toContain('of a⟨RLO⟩b');
  }
});
