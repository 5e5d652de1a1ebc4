/** Text colours must be readable (WCAG AA, 4.5 : 1) on every surface they are used on, in both themes. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LABEL_COLOURS } from '../../shared/domain/annotate/taxonomy.ts';

/** Files that define colours. */
const SOURCES = ['theme/tokens.css', 'charts/charts.css', 'views/replay/tokens/tokenBar.css'];

function tokens(block: string): Map<string, string> {
  return new Map(
    [...block.matchAll(/(--[\w-]+):\s*(#[0-9a-f]{6});/g)].map(([, name = '', value = '']) => [name, value]),
  );
}

const light = new Map<string, string>();
const dark = new Map<string, string>();
for (const source of SOURCES) {
  const css = readFileSync(new URL(`../../renderer/${source}`, import.meta.url), 'utf8');
  const [lightCss = '', darkCss = ''] = css.split(/\[data-theme=["']dark["']\]/);
  for (const [name, value] of tokens(lightCss)) light.set(name, value);
  for (const [name, value] of tokens(darkCss)) dark.set(name, value);
}

function luminance(hex: string): number {
  const channels = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  const [r = 0, g = 0, b = 0] = channels.map((c) =>
    c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

/** Backgrounds of lists, pages, fields and selected rows. */
const SURFACES = ['--paper', '--raised', '--sunk', '--hover', '--accent-soft'];

const PAIRS: readonly (readonly [string, readonly string[]])[] = [
  [
    '--ink',
    [
      '--paper',
      '--raised',
      '--sunk',
      '--hover',
      '--accent-soft',
      '--h1',
      '--h2',
      '--heat-1',
      '--heat-2',
      '--heat-3',
      '--heat-4',
      '--find',
      '--find-current',
      '--wrong-soft',
      '--user-soft',
      '--env',
      '--code',
      '--diff-removed-mark',
      '--diff-added-mark',
      '--diff-removed-soft',
      '--diff-added-soft',
    ],
  ],
  ['--ink2', [...SURFACES, '--env', '--code']],
  ['--ink3', [...SURFACES, '--env', '--code']],
  ['--accent', SURFACES],
  ['--right', SURFACES],
  ['--wrong', [...SURFACES, '--wrong-soft']],
  // The names of the schedule's curves and of its stragglers.
  ['--kept', SURFACES],
  ['--h5', ['--paper', '--raised']],
  // On buttons, badges and marked words.
  ['--raised', ['--accent', '--wrong']],
  ['--paper', ['--ink']],
  ['--diff-removed', ['--paper', '--raised', '--diff-removed-soft']],
  ['--diff-added', ['--paper', '--raised', '--diff-added-soft']],
  ['--user', ['--paper', '--raised', '--user-soft']],
  ...['keyword', 'string', 'number', 'comment', 'name'].map(
    (role) => [`--code-${role}`, ['--code', '--raised', '--diff-removed-soft', '--diff-added-soft']] as const,
  ),
  ...['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'].map(
    (hue) => [`--ansi-${hue}`, ['--env', '--wrong-soft']] as const,
  ),
];

describe.each([
  ['light', light],
  ['dark', new Map([...light, ...dark])],
])('%s theme', (_name, theme) => {
  it.each(PAIRS.flatMap(([ink, grounds]) => grounds.map((ground) => [ink, ground] as const)))(
    '%s on %s',
    (ink, ground) => {
      expect(contrast(theme.get(ink) ?? '', theme.get(ground) ?? '')).toBeGreaterThanOrEqual(4.5);
    },
  );

  /** Bars, lines, dots and edges of charts, and the focus ring (`--accent`). */
  const MARKS = ['--accent', '--right', '--wrong', '--kept', '--dropped', '--h4', '--h5', '--ink2', '--ink3'];
  it.each(MARKS.flatMap((mark) => [...SURFACES, '--env', '--code'].map((ground) => [mark, ground] as const)))(
    'the mark %s is visible on %s',
    (mark, ground) => {
      expect(contrast(theme.get(mark) ?? '', theme.get(ground) ?? '')).toBeGreaterThanOrEqual(3);
    },
  );

  it.each([1, 2, 3, 4, 5, 6])('line %i of the charts of several runs is visible on paper', (run) => {
    expect(contrast(theme.get(`--run-${run}`) ?? '', theme.get('--paper') ?? '')).toBeGreaterThanOrEqual(3);
  });

  it.each(['reflection', 'gap', 'words', 'masked'])('the mark of a token, %s, is visible', (kind) => {
    for (const ground of ['--paper', '--raised'])
      expect(
        contrast(theme.get(`--token-${kind}`) ?? '', theme.get(ground) ?? ''),
        ground,
      ).toBeGreaterThanOrEqual(3);
  });

  it.each(LABEL_COLOURS)('the mark of a label in %s is visible on paper', (colour) => {
    // WCAG 1.4.11: graphical objects.
    for (const ground of ['--paper', '--raised'])
      expect(contrast(theme.get(`--label-${colour}`) ?? '', theme.get(ground) ?? '')).toBeGreaterThanOrEqual(
        3,
      );
  });

  it('a cell of a failed attempt is distinct from an untried one, and from a solved one', () => {
    const wrong = theme.get('--map-wrong') ?? '';
    for (const ground of ['--paper', '--hover'])
      expect(contrast(wrong, theme.get(ground) ?? ''), ground).toBeGreaterThanOrEqual(1.5);
    expect(contrast(wrong, theme.get('--right') ?? '')).toBeGreaterThanOrEqual(3);
  });

  it('heat has four grounds that differ in lightness, not in hue alone', () => {
    const grounds = ['--paper', '--heat-1', '--heat-2', '--heat-3', '--heat-4'].map(
      (name) => theme.get(name) ?? '',
    );
    for (const [i, ground] of grounds.slice(1).entries())
      expect(contrast(grounds[i] ?? '', ground), ground).toBeGreaterThanOrEqual(1.15);
    const levels = grounds.slice(1);
    for (const [i, ground] of levels.slice(1).entries())
      expect(contrast(levels[i] ?? '', ground), ground).toBeGreaterThanOrEqual(1.25);
  });
});
