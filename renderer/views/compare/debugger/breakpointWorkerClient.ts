/**
 * Evaluates in a worker the breakpoints whose patterns may never finish (`(a+)+$`):
 *
 *   ask(lanes, breaks) ─► worker: rollouts once, then one breakpoint at a time ─► state ─► subscribers
 *                            └ ended after LIMIT_MS, or when the last subscriber leaves
 */
import type { Breakpoint, Hit, StoppedRollout } from '../../../../shared/domain/breakpoints.ts';
import { type Break, isSameLane, type StoppedLane, stoppedRollout } from './breakModel.ts';

export const LIMIT_MS = 1_000;

export type WorkerQuestion =
  | { readonly rollouts: readonly StoppedRollout[] }
  | { readonly conditions: Breakpoint };
export type WorkerAnswer =
  | { readonly isReady: true }
  /** Per lane, as if it were the only breakpoint. */
  | { readonly hits: readonly (readonly Hit[])[] }
  | { readonly failure: string };

/** The part of a Worker that is used; tests pass a fake. */
export type BreakpointWorker = Pick<Worker, 'onmessage' | 'onerror' | 'postMessage' | 'terminate'>;

/** `leftOut`: the reason why there are no hits. */
export type BreakpointOutcome = { readonly hits: readonly (readonly Hit[])[] } | { readonly leftOut: string };

export interface BreakpointWorkerState {
  readonly lanes: readonly StoppedLane[];
  /** By the text of the breakpoint. Absent: not evaluated yet. */
  readonly outcomes: ReadonlyMap<string, BreakpointOutcome>;
}

const NOTHING: BreakpointWorkerState = { lanes: [], outcomes: new Map() };

export const areSameLanes = (a: readonly StoppedLane[], b: readonly StoppedLane[]): boolean =>
  a.length === b.length && a.every((lane, i) => isSameLane(lane, b[i]));

export class BreakpointWorkerClient {
  private state = NOTHING;
  private wanted: readonly Break[] = [];
  private worker: BreakpointWorker | undefined;
  private isReady = false;
  private running: Break | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly listeners = new Set<() => void>();
  private readonly start: () => BreakpointWorker;

  constructor(start: () => BreakpointWorker) {
    this.start = start;
  }

  readonly current = (): BreakpointWorkerState => this.state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
      // Stop the worker: nobody would receive its results.
      if (this.listeners.size === 0) this.ask([], []);
    };
  };

  /** Replaces the previous request. Known results for the same lanes are kept. */
  ask(ofLanes: readonly StoppedLane[], breaks: readonly Break[]): void {
    // Without breakpoints, keep no rollouts and notify no subscribers about new ones.
    const lanes = breaks.length === 0 ? [] : ofLanes;
    const isSame = areSameLanes(lanes, this.state.lanes);
    this.wanted = breaks;
    const isWanted = (text: string) => breaks.some((one) => one.text === text);
    if (!isSame || breaks.length === 0 || (this.running !== undefined && !isWanted(this.running.text)))
      this.end();
    const kept = isSame ? [...this.state.outcomes].filter(([text]) => isWanted(text)) : [];
    if (!isSame || kept.length !== this.state.outcomes.size) this.set({ lanes, outcomes: new Map(kept) });
    this.goOn();
  }

  private goOn(): void {
    if (this.running !== undefined) return;
    const next = this.wanted.find(({ text }) => !this.state.outcomes.has(text));
    if (next?.conditions === undefined) return;
    this.running = next;
    if (this.worker === undefined) this.open();
    else if (this.isReady) this.put(next.conditions);
  }

  private open(): void {
    const worker = this.start();
    this.worker = worker;
    worker.onmessage = ({ data }: MessageEvent<WorkerAnswer>) => {
      if (worker !== this.worker) return;
      if ('isReady' in data) {
        this.isReady = true;
        if (this.running?.conditions !== undefined) this.put(this.running.conditions);
      } else this.finish('hits' in data ? data : { leftOut: `could not be searched: ${data.failure}` });
    };
    worker.onerror = ({ message }) => {
      if (worker !== this.worker) return;
      const { running } = this;
      this.end();
      this.running = running;
      this.finish({ leftOut: `could not be searched${message ? `: ${message}` : ''}` });
    };
    this.post({ rollouts: this.state.lanes.map(stoppedRollout) });
  }

  /** The time limit starts here, so that it excludes starting the worker and sending it the texts. */
  private put(conditions: Breakpoint): void {
    this.post({ conditions });
    this.timer = setTimeout(() => {
      const { running } = this;
      this.end();
      this.running = running;
      this.finish({ leftOut: `took longer than ${LIMIT_MS / 1_000} s: skipped` });
    }, LIMIT_MS);
  }

  private finish(outcome: BreakpointOutcome): void {
    clearTimeout(this.timer);
    const { running } = this;
    this.running = undefined;
    if (running !== undefined)
      this.set({ ...this.state, outcomes: new Map(this.state.outcomes).set(running.text, outcome) });
    this.goOn();
  }

  private post(question: WorkerQuestion): void {
    this.worker?.postMessage(question);
  }

  private end(): void {
    clearTimeout(this.timer);
    this.worker?.terminate();
    this.worker = undefined;
    this.isReady = false;
    this.running = undefined;
  }

  private set(state: BreakpointWorkerState): void {
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}
