import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  breakOf,
  breakSearch,
  charsOfRow,
  labelFault,
  laneHits,
  needsLabels,
  needsValues,
  needsWorker,
  nextCallRow,
  nextStopRow,
  noStopReason,
  READY_MADE,
  readBreaks,
  type StoppedLane,
  stoppedRollout,
  stopsOf,
  toolNames,
  turnAt,
  withCondition,
} from '../../renderer/views/compare/debugger/breakModel.ts';
import {
  type BreakpointWorker,
  BreakpointWorkerClient,
  LIMIT_MS,
  type WorkerAnswer,
  type WorkerQuestion,
} from '../../renderer/views/compare/debugger/breakpointWorkerClient.ts';
import type { ComparedRow, RolloutDetail, RolloutSignal } from '../../shared/api/contract.ts';
import { type Hit, hitsOf, type StoppedRollout } from '../../shared/domain/breakpoints.ts';
import { segmentResponse } from '../../shared/domain/segment.ts';

/** Turns of two lanes per row; `·` is a gap. */
const rowsOf = (...rows: readonly string[]): readonly ComparedRow[] =>
  rows.map((drawn) => ({
    turns: drawn.split(' ').map((turn) => (turn === '·' ? null : Number(turn))),
    isEqual: false,
    blocks: [],
  }));
const hit = (turn: number, breakpoint = 0): Hit => ({ turn, breakpoint });

const RESPONSE = [
  'It may be \\boxed{3}.</reason>\n<tool_call>\n{"name": "python", "arguments": {"code": "print(1/0)"}}\n</tool_call><|im_end|>\n',
  '<|im_start|>user\n<tool_response>\nTool call failure\nstderr: ZeroDivisionError\n</tool_response><|im_end|>\n<|im_start|>assistant\n<reason>',
  'So \\boxed{42}.</reason>\n<answer>\\boxed{42}</answer><|im_end|>',
].join('');

function detailOf(): RolloutDetail {
  const { segments, toolCalls, turns } = segmentResponse(RESPONSE, { startsInReasoning: true });
  const shell = { response: RESPONSE, segments, toolCalls, turns: Array.from({ length: turns }), flags: [] };
  // Breakpoints use only these parts of the rollout.
  return shell as unknown as RolloutDetail;
}

describe('breakpoints in the link', () => {
  it('survive a round trip, with disabled ones', () => {
    const breaks = [breakOf('first error'), breakOf('text:"a & b, c=d/é" in:code & turn:3', false)];
    const search = breakSearch(breaks, new URLSearchParams('lane=/run/a&row=3&break=answer'));
    const query = new URLSearchParams(search);
    expect(readBreaks(query)).toEqual(breaks);
    expect(query.getAll('lane')).toEqual(['/run/a']);
    expect(query.get('row')).toBe('3');
  });

  it('keep unparseable text for editing', () => {
    const [one] = readBreaks(new URLSearchParams('break=eror'));
    expect(one).toMatchObject({ text: 'eror', isOn: true, fault: { start: 0 } });
    expect(one?.conditions).toBeUndefined();
  });

  it('are listed once each, up to a limit', () => {
    expect(readBreaks(new URLSearchParams('break=error&break=!error&break= error '))).toHaveLength(1);
    const many = new URLSearchParams(Array.from({ length: 50 }, (_, i) => ['break', `turn:${i + 1}`]));
    expect(readBreaks(many)).toHaveLength(20);
  });

  it('request annotations only if an enabled one uses them', () => {
    expect(needsLabels([breakOf('label:loops', false), breakOf('flag:truncated')])).toBe(false);
    expect(needsLabels([breakOf('error & label:loops')])).toBe(true);
  });

  it('search texts in the worker', () => {
    expect(needsWorker(breakOf('args:x'))).toBe(true);
    expect(needsWorker(breakOf('text:"x" in:code'))).toBe(true);
    expect(needsWorker(breakOf('tool:x'))).toBe(false);
  });

  it('refuse a label that nobody has, at its position', () => {
    const known = ['loops', 'gave-up'];
    expect(labelFault('error & label:loop', known)).toEqual({
      message: 'expected a label (loops, gave-up), found loop',
      start: 8,
      end: 18,
    });
    expect(labelFault('error & label:loops', known)).toBeUndefined();
  });

  it('offer the tools that can be named', () => {
    const detail = {
      toolCalls: ['find', 'a b', 'find', 'x\u202ey', undefined, 'get'].map((name) => ({ name })),
    };
    expect(toolNames([detail as unknown as RolloutDetail])).toEqual(['find', 'get']);
  });

  it('stop at the place of labels and flags, else at the first turn', () => {
    const at = RESPONSE.indexOf('So ');
    const annotation = (label: string, kind: string, text: string, start?: number) => ({
      ...{ label, target: { kind, anchor: { text } } },
      ...(start === undefined ? {} : { place: { start } }),
    });
    const lane = {
      detail: {
        ...detailOf(),
        flags: [
          { flag: 'truncated', evidence: [] },
          { flag: 'repetition', evidence: [{ segment: 3, start: at, end: at + 2 }] },
        ],
      },
      annotations: [
        annotation('loops', 'rollout', 'response'),
        annotation('slip', 'span', 'response', at),
        annotation('read', 'span', 'prompt', at),
        annotation('gone', 'span', 'response'),
      ],
      ...{ signal: undefined, fork: undefined },
    } as unknown as StoppedLane;
    const turnsOf = (text: string) =>
      laneHits([breakOf(text)], lane).map(({ turn, found }) => `${turn} ${found}`);
    expect(turnsOf('flag:truncated')).toEqual(['1 truncated']);
    expect(turnsOf('flag:repetition')).toEqual(['2 repetition']);
    expect(turnsOf('label:loops')).toEqual(['1 loops']);
    expect(turnsOf('label:slip')).toEqual(['2 slip']);
    expect(turnsOf('label:read')).toEqual(['1 read']);
    expect(turnsOf('label:gone')).toEqual(['1 gone']);
    expect(turnsOf('label:other')).toEqual([]);
    expect(stoppedRollout({ ...lane, annotations: undefined }).labels).toBeUndefined();
  });

  it('request values only if an enabled one uses them', () => {
    expect(needsValues([breakOf('value:95', false), breakOf('error')])).toBe(false);
    expect(needsValues([breakOf('error & value:95')])).toBe(true);
  });

  it('are described in plain words', () => {
    for (const { text, hole } of READY_MADE) {
      expect(breakOf(text).fault).toBeUndefined();
      if (hole !== undefined) expect(text).toContain(hole);
    }
    expect(withCondition('', { text: 'turn:3', label: '', hole: '3' })).toEqual({
      text: 'turn:3',
      start: 5,
      end: 6,
    });
    expect(withCondition('error & ', { text: 'fork', label: '' })).toEqual({
      text: 'error & fork',
      start: 12,
      end: 12,
    });
  });
});

describe('hits', () => {
  it('count hits over all breakpoints', () => {
    const breaks = [breakOf('answer', false), breakOf('nonsense'), breakOf('first error'), breakOf('answer')];
    const hits = laneHits(breaks, { detail: detailOf(), signal: undefined, fork: undefined });
    expect(hits.map(({ turn, breakpoint, found }) => [turn, breakpoint, found])).toEqual([
      [1, 2, 'exception'],
      [2, 3, '3 → 42'],
    ]);
  });

  it('use the fork of a lane, and values if any', () => {
    const detail = detailOf();
    const at = (text: string, signal?: RolloutSignal) =>
      laneHits([breakOf(text)], { detail, signal, fork: { turn: 2, offset: 5 } }).map(({ turn }) => turn);
    expect(at('fork')).toEqual([2]);
    expect(at('value:50')).toEqual([]);
    const signal: RolloutSignal = {
      count: 2,
      available: ['entropy'],
      ends: Uint32Array.from([5, 10]),
      values: Float32Array.from([0.1, 2]),
    };
    expect(at('value:50', signal)).toEqual([1]);
    expect(at('value:50', { count: 2, available: [] })).toEqual([]);
  });

  it('are in the row that shows their turn', () => {
    const rows = rowsOf('1 1', '2 ·', '· 2', '3 3');
    const stops = stopsOf(rows, [
      [hit(2), hit(3)],
      [hit(2), hit(3, 1), hit(9)],
    ]);
    expect(stops.map(({ row, lane }) => [row, lane])).toEqual([
      [1, 0],
      [2, 1],
      [3, 0],
      [3, 1],
    ]);
    expect(nextStopRow(stops, 0, 1)).toBe(1);
    expect(nextStopRow(stops, 1, 1)).toBe(2);
    expect(nextStopRow(stops, 3, 1)).toBeUndefined();
    expect(nextStopRow(stops, 3, -1)).toBe(2);
    expect(nextStopRow(stops, 1, -1)).toBeUndefined();
  });
});

describe('without a next stop', () => {
  const rows = rowsOf('1 1', '2 2');
  const state = (texts: readonly string[], ...hits: readonly (readonly Hit[])[]) => ({
    breaks: texts.map((text) => breakOf(text)),
    stops: stopsOf(rows, hits),
    running: new Set<string>(),
    leftOut: new Map<string, string>(),
  });

  it('states in which direction there is none', () => {
    expect(noStopReason(state([]), 0, 1)).toBe('No breakpoints: B adds one');
    expect(noStopReason(state(['fork'], [hit(1)]), 1, 1)).toBe('No breakpoint hit below');
    expect(noStopReason(state(['fork'], [hit(2)]), 0, -1)).toBe('No breakpoint hit above');
  });

  it('lists hits in this rollout that were not reached', () => {
    expect(noStopReason(state(['fork'], [hit(1)], [hit(1)]), 0, 1)).toBe('None below. Here: fork, 2 hits');
    const two = state(['fork', 'turn:1'], [hit(1), hit(1, 1)], [hit(1)]);
    expect(noStopReason(two, 0, 1)).toBe('None below. Here: fork, 2 hits; turn:1, 1 hit');
  });

  it('states what is unknown', () => {
    expect(noStopReason(state(['eror']), 0, 1)).toBe('1 breakpoint invalid: see Breakpoints');
    const off = { ...state([]), breaks: [breakOf('eror', false)] };
    expect(noStopReason(off, 0, 1)).toBe('No breakpoint hit below');
    const text = 'regex:"a"';
    expect(noStopReason({ ...state([text]), running: new Set([text]) }, 0, 1)).toBe(
      '1 breakpoint still searching',
    );
    expect(noStopReason({ ...state([text, 'eror']), leftOut: new Map([[text, '']]) }, 0, 1)).toBe(
      '1 breakpoint invalid: see Breakpoints · 1 breakpoint skipped: see Breakpoints',
    );
  });
});

describe('patterns', () => {
  const RUNAWAY = breakOf('regex:"(a+)+$"');
  const QUICK = breakOf('regex:"\\d+"');

  /** Answers like the worker, but never for the runaway pattern. */
  class FakeWorker {
    static all: FakeWorker[] = [];
    onmessage: ((event: { data: WorkerAnswer }) => void) | null = null;
    onerror: ((event: { message: string }) => void) | null = null;
    isEnded = false;
    readonly asked: WorkerQuestion[] = [];
    private rollouts: readonly StoppedRollout[] = [];

    constructor() {
      FakeWorker.all.push(this);
    }
    postMessage(question: WorkerQuestion) {
      this.asked.push(question);
      if ('rollouts' in question) {
        this.rollouts = question.rollouts;
        this.say({ isReady: true });
      } else if (question.conditions !== RUNAWAY.conditions)
        this.say({ hits: this.rollouts.map((one) => hitsOf([question.conditions], one)) });
    }
    terminate() {
      this.isEnded = true;
    }
    private say(data: WorkerAnswer) {
      setTimeout(() => !this.isEnded && this.onmessage?.({ data }), 10);
    }
  }

  beforeEach(() => {
    vi.useFakeTimers();
    FakeWorker.all = [];
  });
  afterEach(() => void vi.useRealTimers());

  const lane: StoppedLane = { detail: detailOf(), signal: undefined, fork: undefined };
  const apartOf = () => {
    const apart = new BreakpointWorkerClient(() => new FakeWorker() as unknown as BreakpointWorker);
    const leave = apart.subscribe(() => {});
    return { apart, leave, outcome: ({ text }: { text: string }) => apart.current().outcomes.get(text) };
  };

  it('are not searched in the page', () => {
    expect(laneHits([QUICK, breakOf('turn:1')], lane)).toEqual([{ turn: 1, breakpoint: 1 }]);
  });

  it('without end are dropped, and the others are found', () => {
    const { apart, outcome } = apartOf();
    apart.ask([lane], [RUNAWAY, QUICK]);
    vi.advanceTimersByTime(LIMIT_MS);
    expect(outcome(RUNAWAY)).toBeUndefined();
    vi.advanceTimersByTime(100);
    expect(outcome(RUNAWAY)).toEqual({ leftOut: 'took longer than 1 s: skipped' });
    expect(outcome(QUICK)).toMatchObject({ hits: [[{ turn: 1, found: '3' }, { turn: 2 }]] });
    expect(FakeWorker.all.map(({ isEnded }) => isEnded)).toEqual([true, false]);
  });

  it('get the rollouts once, and are ended when nobody asks', () => {
    const { apart, leave, outcome } = apartOf();
    apart.ask([lane], [QUICK]);
    vi.advanceTimersByTime(100);
    apart.ask([{ ...lane }], [QUICK, breakOf('regex:"x"')]);
    vi.advanceTimersByTime(100);
    expect(FakeWorker.all).toHaveLength(1);
    expect(FakeWorker.all[0]?.asked).toHaveLength(3);
    apart.ask([lane], [QUICK, RUNAWAY]);
    apart.ask([lane], [QUICK]);
    expect(FakeWorker.all.map(({ isEnded }) => isEnded)).toEqual([true]);
    expect(outcome(QUICK)).toBeDefined();
    apart.ask([{ ...lane, detail: detailOf() }], [QUICK]);
    expect(outcome(QUICK)).toBeUndefined();
    vi.advanceTimersByTime(100);
    expect(outcome(QUICK)).toBeDefined();
    leave();
    expect(FakeWorker.all.map(({ isEnded }) => isEnded)).toEqual([true, true]);
    expect(apart.current().lanes).toEqual([]);
  });

  it('report a failed worker', () => {
    const { apart, outcome } = apartOf();
    apart.ask([lane], [QUICK]);
    FakeWorker.all[0]?.onerror?.({ message: 'no such file' });
    expect(outcome(QUICK)).toEqual({ leftOut: 'could not be searched: no such file' });
  });
});

describe('the playhead', () => {
  it('leaves a lane at its last turn if it has a gap', () => {
    const rows = rowsOf('· 1', '1 2', '2 ·');
    expect(turnAt(rows, 0, 0)).toBeUndefined();
    expect(turnAt(rows, 1, 2)).toBe(2);
    expect(turnAt(rows, 0, 2)).toBe(2);
    expect(turnAt([], 0, 0)).toBeUndefined();
  });

  it('goes from call to call, whichever lane makes it', () => {
    const rows = rowsOf('1 1', '2 ·', '· 2', '3 3');
    const calling = (...turns: readonly number[]) =>
      ({ toolCalls: turns.map((turn) => ({ turn })) }) as unknown as RolloutDetail;
    const lanes = [calling(1), calling(2)];
    expect(nextCallRow(rows, lanes, 0, 1)).toBe(2);
    expect(nextCallRow(rows, lanes, 2, 1)).toBeUndefined();
    expect(nextCallRow(rows, lanes, 2, -1)).toBe(0);
  });

  it('stays as long as the longest lane takes to read', () => {
    const lane = (length: number) =>
      ({ segments: [{ inner: { start: 0, end: length } }] }) as unknown as RolloutDetail;
    const row: ComparedRow = {
      turns: [1, 1],
      isEqual: false,
      blocks: [{ segments: [0, 0], relations: ['equal', 'similar'], edits: [null, null] }],
    };
    expect(charsOfRow(row, [lane(10), lane(700)])).toBe(700);
    expect(charsOfRow(undefined, [lane(10)])).toBe(0);
  });
});
