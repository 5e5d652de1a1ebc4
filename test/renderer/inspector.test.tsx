// @vitest-environment happy-dom
/** The inspector beside a replay, with values of any length and of characters that affect the text around them. */
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { codePlaces } from '../../renderer/editor/codePlaces.ts';
import { Inspector } from '../../renderer/views/replay/Inspector.tsx';
import type { RolloutDetail } from '../../shared/api/contract.ts';
import { drawCompared } from '../support/drawCompared.ts';

afterEach(cleanup);

function shown(facts: Partial<RolloutDetail>): HTMLElement {
  const detail = drawCompared(['A1', 'A1']).lanes[0]?.detail;
  if (detail === undefined) throw new Error('no rollout was drawn');
  return render(
    <Inspector
      detail={{ ...detail, ...facts }}
      heat={undefined}
      isBlind={false}
      onShow={() => undefined}
      onShowRecord={() => undefined}
    />,
  ).container;
}

it('draws hidden characters of other fields and isolates their direction', () => {
  const fields = shown({ extra: { note: 'a\u202eb' } });
  expect(fields.querySelector('bdi .hidden-character')?.getAttribute('title')).toContain('RLO');
  expect(fields.textContent).not.toContain('\u202e');
});

it.each([
  ['another field', (text: string) => ({ extra: { note: text } }), 1_000],
  ['a user scenario', (text: string) => ({ userScenario: text }), 11_000],
])('cuts %s of 50,000 characters and says how many it has', (_what, facts, most) => {
  const { textContent } = shown(facts('שלום '.repeat(10_000)));
  expect(textContent).toContain('… 50,000 characters');
  expect(textContent.length).toBeLessThan(most);
});

it('lists the actions that a task expects instead of its ground truth', () => {
  const detail = drawCompared(['C1', 'C1']).lanes[0]?.detail;
  const groundTruth = 'cancel {"id": 7}\nuser: toggle {}';
  const fields = shown({ row: { ...(detail?.row as RolloutDetail['row']), groundTruth } });
  const section = fields.querySelector('.expected-actions');
  expect(section?.textContent).toContain('0 of 1 done');
  expect(section?.textContent).toContain('1 of the simulated user, not looked up');
  expect(section?.querySelectorAll('[aria-label="not done"]')).toHaveLength(1);
  expect(fields.textContent).not.toContain('ground truth');
});

it('places code with a few escapes, but not one with thousands', () => {
  const placed = (code: string) => codePlaces(code, `{"code": ${JSON.stringify(code)}}`, 0).length;
  expect(placed('a\n'.repeat(4_000))).toBe(4_000);
  expect(placed('a\n'.repeat(4_001))).toBe(0);
});
