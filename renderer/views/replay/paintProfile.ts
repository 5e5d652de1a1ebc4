/** Draws the scrubber's profile. Colours come from the design tokens in force. */
import { heatLevel } from './heatModel.ts';
import { isPolicyKind, type Profile } from './profileModel.ts';

export const PROFILE_HEIGHT = 46;
/** Below the base line: what the environment wrote. */
const ENVIRONMENT_HEIGHT = 9;

interface ProfilePaint {
  readonly width: number;
  readonly profile: Profile;
  /** Per column of two pixels; absent when no signal was logged. */
  readonly maxima: Float32Array | undefined;
  readonly thresholds: readonly number[];
  /** A different theme has different tokens: painted again when it changes. */
  readonly themeKey: string;
}

const KIND_COLOR = {
  reasoning: '--ink3',
  text: '--ink3',
  'tool-call': '--accent',
  answer: '--ink2',
  'tool-response': '--rule2',
  user: '--user',
  system: '--rule2',
} as const;

/** Without a signal the height tells the kinds apart, too: prose low, calls high. */
const KIND_HEIGHT = { reasoning: 0.55, text: 0.55, 'tool-call': 0.85, answer: 1 } as const;

export function paintProfile(canvas: HTMLCanvasElement, paint: ProfilePaint): void {
  const { width, profile, maxima, thresholds } = paint;
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
    const left = band.from * width;
    const size = Math.max(1, (band.to - band.from) * width - 0.5);
    if (!isPolicyKind(band.kind)) {
      context.fillStyle = color(KIND_COLOR[band.kind]);
      context.fillRect(left, base + 1, size, ENVIRONMENT_HEIGHT - 2);
    } else if (maxima === undefined) {
      const height =
        (base - 2) * KIND_HEIGHT[band.kind === 'tool-call' || band.kind === 'answer' ? band.kind : 'text'];
      context.globalAlpha = band.kind === 'answer' ? 0.75 : 0.5;
      context.fillStyle = color(KIND_COLOR[band.kind]);
      context.fillRect(left, base - height, size, height);
      context.globalAlpha = 1;
    } else if (band.kind === 'tool-call') {
      context.fillStyle = color('--accent-soft');
      context.fillRect(left, 0, size, base);
    }
  }

  context.fillStyle = color('--rule2');
  context.fillRect(0, base, width, 1);
  if (maxima === undefined) return;

  const heats = [color('--h2'), color('--h2'), color('--h3'), color('--h4'), color('--h5')];
  // The 99th percentile at two thirds: single spikes stay visible without flattening the rest.
  const scale = ((thresholds.at(-1) ?? 1) || 1) * 1.5;
  const step = width / maxima.length;
  maxima.forEach((value, column) => {
    if (Number.isNaN(value)) return;
    const height = Math.max(1, Math.min(1, value / scale) * (base - 2));
    context.fillStyle = heats[heatLevel(value, thresholds)] ?? '';
    context.fillRect(column * step, base - height, Math.max(1, step - 0.4), height);
  });
}
