/** Draws the scrubber's profile with the colours of the current theme. */
import { heatLevel } from './text/heatModel.ts';
import { type ColumnStatistics, isPolicyKind, type Profile } from './text/profileModel.ts';

export const PROFILE_HEIGHT = 46;
/** Height of the strip below the base line, which shows text written by the environment. */
const ENVIRONMENT_HEIGHT = 9;
/**
 * Height of the two rows above the profile: forks, and reflections below them. Position is a second cue beside colour.
 */
const MARKS_HEIGHT = 9;
const MARK_HEIGHT = 3;
/** Lines between turns are not drawn if they would be closer than this. */
const TURN_PIXELS = 5;

interface ProfilePaint {
  readonly width: number;
  readonly profile: Profile;
  /** One entry per column of two pixels. Absent if no signal was logged. */
  readonly columns: ColumnStatistics | undefined;
  /** Lowest height of each level. Empty if no token is high. */
  readonly cuts: readonly number[];
  /** The policy's highest value, which sets the scale if no token is high. */
  readonly highest: number;
  /** Changes with the theme, so that the profile is repainted. */
  readonly themeKey: string;
}

const KIND_COLOR = {
  reasoning: '--ink3',
  text: '--ink3',
  'tool-call': '--ink2',
  answer: '--ink2',
  'tool-response': '--dropped',
  user: '--user',
  system: '--dropped',
} as const;

/** Without a signal, height distinguishes the kinds: prose is low, calls are high. */
const KIND_HEIGHT = { reasoning: 0.55, text: 0.55, 'tool-call': 0.85, answer: 1 } as const;

export function paintProfile(canvas: HTMLCanvasElement, paint: ProfilePaint): void {
  const { width, profile, columns } = paint;
  const ratio = window.devicePixelRatio;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(PROFILE_HEIGHT * ratio);
  const context = canvas.getContext('2d');
  if (context === null) return;
  context.scale(ratio, ratio);
  const style = getComputedStyle(canvas);
  const color = (token: string) => style.getPropertyValue(token).trim();
  const base = PROFILE_HEIGHT - ENVIRONMENT_HEIGHT;

  for (const band of profile.bands) {
    // Rounded to whole pixels, so that neighbours leave no gap.
    const left = Math.round(band.from * width);
    const size = Math.max(1, Math.round(band.to * width) - left);
    if (!isPolicyKind(band.kind)) {
      context.fillStyle = color(KIND_COLOR[band.kind]);
      context.fillRect(left, base + 1, size, ENVIRONMENT_HEIGHT - 2);
    } else if (columns === undefined) {
      const height =
        (base - 2) * KIND_HEIGHT[band.kind === 'tool-call' || band.kind === 'answer' ? band.kind : 'text'];
      context.globalAlpha = 0.75;
      context.fillStyle = color(KIND_COLOR[band.kind]);
      context.fillRect(left, base - height, size, height);
      context.globalAlpha = 1;
    } else if (band.kind === 'tool-call') {
      // Not blue, which marks the current turn.
      context.fillStyle = color('--ink2');
      context.globalAlpha = 0.16;
      context.fillRect(left, 0, size, base);
      context.globalAlpha = 1;
    }
  }

  context.fillStyle = color('--rule2');
  context.fillRect(0, base, width, 1);
  // Too many lines would cover the profile. The head and the outline also show the turn.
  if (profile.turns.length <= width / TURN_PIXELS) {
    for (const { from } of profile.turns.slice(1))
      context.fillRect(Math.round(from * width), 0, 1, PROFILE_HEIGHT);
  }
  if (columns !== undefined) paintColumns(context, paint, columns, base, color);
}

function paintColumns(
  context: CanvasRenderingContext2D,
  { width, cuts, highest }: ProfilePaint,
  columns: ColumnStatistics,
  base: number,
  color: (token: string) => string,
): void {
  const heats = [color('--h2'), color('--h2'), color('--h3'), color('--h4'), color('--h5')];
  const [forking, reflection, ink] = [color('--h5'), color('--token-reflection'), color('--ink2')];
  const room = base - MARKS_HEIGHT - 2;
  // Puts the highest level's cut at two thirds, so that single spikes are visible without flattening the rest.
  const scale = cuts.length > 0 ? (cuts.at(-1) ?? 1) * 1.5 : highest || 1;
  const heightOf = (value: number) => Math.max(1, Math.min(1, value / scale) * room);
  const step = width / columns.max.length;
  columns.max.forEach((value, column) => {
    // Each bar ends at the next one's whole pixel, so that a token wider than a column is one solid bar.
    const left = Math.round(column * step);
    const size = Math.max(1, Math.round((column + 1) * step) - left);
    if (columns.forking[column] === 1) {
      context.fillStyle = forking;
      context.fillRect(left, 0, size, MARK_HEIGHT);
    }
    if (columns.reflection[column] === 1) {
      context.fillStyle = reflection;
      context.fillRect(left, MARK_HEIGHT + 1, size, MARK_HEIGHT);
    }
    if (Number.isNaN(value)) return;
    const top = heightOf(value);
    const low = columns.min[column] ?? 0;
    const bottom = low === value ? 0 : Math.min(top - 1, Math.min(1, low / scale) * room);
    context.fillStyle = heats[heatLevel(value, cuts)] ?? '';
    context.fillRect(left, base - top, size, top - bottom);
    // Draw the mean as a tick if a column contains more than one value.
    if (low === value) return;
    context.fillStyle = ink;
    context.fillRect(left, base - heightOf(columns.mean[column] ?? 0), size, 1);
  });
}
