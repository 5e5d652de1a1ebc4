/** The stages of a training: their first and last steps, their changes, and their limits. */
import type { RunDetail, Stage } from '../../../shared/api/contract.ts';
import { plainLogText } from '../../ui/LogText.tsx';
import { count } from '../../ui/numbers.ts';

export interface StageSpan {
  readonly name: string;
  readonly from: number;
  /** Its last step that was read. */
  readonly to: number;
  /** Differences from the previous stage. Empty for the first stage. */
  readonly changes: readonly { readonly what: string; readonly before?: string; readonly now: string }[];
  /** Response limit in tokens. */
  readonly maxResponseTokens?: number;
  readonly maxTurns?: number;
  /** As logged. */
  readonly data?: string;
}

/** @param steps of the run, in order */
export function stageSpans(
  run: Pick<RunDetail, 'stages' | 'config'>,
  steps: readonly number[],
): readonly StageSpan[] {
  const limits = limitsOf(run.config);
  let former: Readonly<Record<string, unknown>> = {};
  const stages = [...run.stages].sort((a, b) => a.fromStep - b.fromStep);
  return stages.flatMap((stage, i) => {
    // A log line may contain only the changes, so the other settings carry over.
    const now = { ...former, ...stage.changes };
    const end = stages[i + 1]?.fromStep ?? Number.POSITIVE_INFINITY;
    const to = steps.findLast((step) => step >= stage.fromStep && step < end);
    const span = spanOf(stage, to ?? stage.fromStep, former, { ...limits, ...now });
    former = now;
    return [span];
  });
}

function spanOf(
  stage: Stage,
  to: number,
  former: Readonly<Record<string, unknown>>,
  now: Readonly<Record<string, unknown>>,
): StageSpan {
  const changes = Object.entries(stage.changes).flatMap(([what, value]) => {
    const before = former[what];
    if (JSON.stringify(before) === JSON.stringify(value)) return [];
    return [
      {
        what: plainLogText(what),
        ...(before === undefined ? {} : { before: valueText(before) }),
        now: valueText(value),
      },
    ];
  });
  const { max_response_tokens: tokens, max_turns: turns, data } = now;
  return {
    name: plainLogText(stage.name),
    from: stage.fromStep,
    to,
    changes,
    ...(typeof tokens === 'number' ? { maxResponseTokens: tokens } : {}),
    ...(typeof turns === 'number' ? { maxTurns: turns } : {}),
    ...(data === undefined || data === null ? {} : { data: valueText(data) }),
  };
}

function limitsOf(config: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { limits } = config;
  return typeof limits === 'object' && limits !== null ? { ...limits } : {};
}

/** The response limit at each step. Undefined if none is logged. */
export function responseLimits(
  run: Pick<RunDetail, 'stages' | 'config'>,
  steps: readonly number[],
): readonly (number | undefined)[] {
  const spans = stageSpans(run, steps);
  const { max_response_tokens: general } = limitsOf(run.config);
  const fallback = typeof general === 'number' ? general : undefined;
  return steps.map((step) => spans.findLast(({ from }) => from <= step)?.maxResponseTokens ?? fallback);
}

export function stageChange({ changes }: StageSpan): string {
  return changes
    .map(({ what, before, now }) => `${what} ${before === undefined ? now : `${before} → ${now}`}`)
    .join(', ');
}

function valueText(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? count(value) : String(value);
  return plainLogText(typeof value === 'string' ? value : JSON.stringify(value));
}
