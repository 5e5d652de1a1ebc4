/** In the demo run, tool responses are what Python printed for the code of their call, and answers follow from them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROBLEMS } from '../../fixtures/generate/problems.ts';
import { Random } from '../../fixtures/generate/random.ts';
import { payloadOf, toolFailure } from '../../fixtures/generate/responses.ts';
import { answeredCalls, canHaveResponse, programs, readDemoRollouts } from '../support/demoCalls.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures');
const RUNNER = join(FIXTURES, 'generate', 'runPrograms.py');
const OUTPUTS = join(FIXTURES, 'generate', 'programOutputs.json');
/** Messages that other versions of Python word differently, and programs that take seconds. */
const NOT_SAMPLED = /ZeroDivision|timeout$/;

const rollouts = readDemoRollouts();

const lastNumber = (text: string): string | undefined => text.match(/\d+/g)?.at(-1);
const lastBoxed = (text: string): string | undefined => [...text.matchAll(/\\boxed\{(\d+)\}/g)].at(-1)?.[1];

describe('programs of the demo run', () => {
  it('printed every tool response, but those of ten rollouts that were exchanged', () => {
    let responses = 0;
    const others: string[] = [];
    for (const rollout of rollouts) {
      for (const { call, response } of answeredCalls(rollout.text)) {
        responses++;
        if (!canHaveResponse(call, response)) others.push(rollout.place);
      }
    }
    expect(new Set(others).size).toBe(10);
    expect(others.filter((place) => place.startsWith('train 400 expected-draws '))).toHaveLength(10);
    expect(responses).toBe(
      rollouts.map(({ text }) => text.split('<tool_response>').length - 1).reduce((a, b) => a + b),
    );
    expect(responses).toBeGreaterThan(4000);
  });

  it('printed the answer, or else the last reasoning derives it', () => {
    let printed = 0;
    let derived = 0;
    for (const rollout of rollouts) {
      const answer = lastBoxed(rollout.text);
      if (!rollout.text.endsWith('</answer><|im_end|>')) continue;
      const last = answeredCalls(rollout.text).at(-1)?.response;
      const stdout = /^Tool call success\nstdout: (.*)\n\nexecution time/s.exec(last ?? '')?.[1];
      if (stdout === undefined) derived++;
      else printed++;
      const reasoning = rollout.text.split('</reason>').at(-2)?.split('<reason>').at(-1);
      expect(lastNumber(stdout ?? reasoning ?? ''), rollout.place).toBe(answer);
      expect(answer === rollout.truth, rollout.place).toBe(rollout.reward === 1);
    }
    expect(printed).toBeGreaterThan(700);
    expect(derived).toBeGreaterThan(300);
  });

  it('include some for every slip, which print its answer', () => {
    for (const { id, answer, slips, byHand } of PROBLEMS) {
      const printing = (start: string) =>
        [...programs.values()]
          .filter((program) => program.id.startsWith(`${id}/${start}`))
          .map(({ stdout }) => lastNumber(stdout));
      expect(new Set(printing('right-'))).toEqual(new Set([String(answer)]));
      expect(lastNumber(byHand)).toBe(String(answer));
      for (const slip of slips) {
        expect(slip.answer).not.toBe(answer);
        expect(new Set(printing(`wrong-${slip.answer}-`))).toEqual(new Set([String(slip.answer)]));
        expect(lastNumber(slip.byHand)).toBe(String(slip.answer));
      }
    }
  });

  const hasPython = spawnSync('python3', ['--version']).status === 0;
  it.skipIf(!hasPython)(
    `print in this Python what was recorded${hasPython ? '' : ' (skipped: no python3)'}`,
    () => {
      const recorded = JSON.parse(readFileSync(OUTPUTS, 'utf8'));
      expect(Object.keys(recorded).sort()).toEqual([...programs.values()].map(({ id }) => id).sort());
      const sample = Object.keys(recorded).filter((id, i) => i % 2 === 0 && !NOT_SAMPLED.test(id));
      const results = JSON.parse(execFileSync('python3', [RUNNER, ...sample], { encoding: 'utf8' }));
      expect(results).toEqual(Object.fromEntries(sample.map((id) => [id, recorded[id]])));
    },
  );

  it.skipIf(!hasPython)(
    `have the message of Python’s parser in a malformed call${hasPython ? '' : ' (skipped: no python3)'}`,
    () => {
      const payload = payloadOf('print("a", "b")', 'parse_error');
      const { stderr } = spawnSync('python3', ['-c', 'import json, sys; json.load(sys.stdin)'], {
        input: payload,
        encoding: 'utf8',
      });
      const message = /JSONDecodeError: (.*)$/m.exec(stderr)?.[1];
      expect(toolFailure('parse_error', payload, new Random(1)).text).toBe(
        `Failed to decode tool call: ${message}`,
      );
    },
  );
});
