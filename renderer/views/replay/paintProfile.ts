/** Draws the scrubber's profile. Colours come from the design tokens in force. */
import { heatLevel } from './text/heatModel.ts';
import { type ColumnStatistics, isPolicyKind, type Profile } from './text/profileModel.ts';

export const PROFILE_HEIGHT = 46;
/** Below the base line: what the environment wrote. */
const ENVIRONMENT_HEIGHT = 9;
/** Above the profile: a row of forks and, below it, one of reflections; place is their second cue. */
const MARKS_HEIGHT = 9;
const MARK_HEIGHT = 3;
/** Lines between turns closer than this would be a hatching. */
const TURN_PIXELS = 5;

interface ProfilePaint {
  readonly width: number;
  readonly profile: Profile;
  /** Per column of two pixels; absent when no signal was logged. */
  readonly columns: ColumnStatistics | undefined;
  /** Smallest height of each level; empty when no token is high. */
  readonly cuts: readonly number[];
  /** Highest value of the policy, for the scale where nothing is high. */
  readonly highest: number;
  /** A different theme has different tokens: painted again when it changes. */
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

/** Without a signal the height tells the kinds apart, too: prose low, calls high. */
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
    // On whole pixels: what is beside each other meets without a stripe.
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
      // Not blue, which is the turn that is read.
      context.fillStyle = color('--ink2');
      context.globalAlpha = 0.16;
      context.fillRect(left, 0, size, base);
      context.globalAlpha = 1;
    }
  }

  context.fillStyle = color('--rule2');
  context.fillRect(0, base, width, 1);
  // Thinned where they would be all there is to see; the head and the outline tell the turn.
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
  // The highest level's cut at two thirds: single spikes stay visible without flattening the rest.
  const scale = cuts.length > 0 ? (cuts.at(-1) ?? 1) * 1.5 : highest || 1;
  const heightOf = (value: number) => Math.max(1, Math.min(1, value / scale) * room);
  const step = width / columns.max.length;
  columns.max.forEach((value, column) => {
    // On whole pixels, each up to the next: a token wider than a column is one solid bar.
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
    // The mean as a tick, where a column holds more than one value.
    if (low === value) return;
    context.fillStyle = ink;
    context.fillRect(left, base - heightOf(columns.mean[column] ?? 0), size, 1);
  });
}
