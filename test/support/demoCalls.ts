/** Rollouts of the demo run as its file has them, their calls, and what Python printed for the code of a call. */
import { readFileSync } from 'node:fs';
import { allPrograms } from '../../fixtures/generate/programs.ts';
import { Random } from '../../fixtures/generate/random.ts';
import { toolFailure } from '../../fixtures/generate/responses.ts';

export interface DemoRollout {
  /** `split step group index` */
  readonly place: string;
  readonly text: string;
  readonly reward: number;
  readonly truth: string;
}

export function readDemoRollouts(): DemoRollout[] {
  return readFileSync(new URL('../../fixtures/demo/demo.jsonl', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type === 'rollout')
    .map((line) => ({
      place: `${line.split} ${line.step} ${line.group} ${line.index}`,
      text: line.text ?? line.tokens.text.join(''),
      reward: line.reward,
      truth: line.problem.ground_truth,
    }));
}

/** By code. */
export const programs = new Map(allPrograms().map((program) => [program.code, program]));

/** The first call of a turn, which alone was run, and its response. */
const ANSWERED =
  /<tool_call>\n((?:(?!<\/tool_call>).)*)\n<\/tool_call>(?:(?!<tool_response>).)*<tool_response>\n(.*?)\n<\/tool_response>/gs;

export function answeredCalls(text: string): { readonly call: string; readonly response: string }[] {
  return [...text.matchAll(ANSWERED)].map(([, call = '', response = '']) => ({ call, response }));
}

/** Whether the code of the call prints or raises this. A failure of the tool comes before code runs. */
export function canHaveResponse(call: string, response: string): boolean {
  return possibleResponses(call).includes(response.replace(/execution time: \d+\.\d\ds$/, 'execution time:'));
}

function possibleResponses(call: string): string[] {
  let parsed: { readonly name: string; readonly arguments: { readonly code: string } };
  try {
    parsed = JSON.parse(call);
  } catch {
    return [toolFailure('parse_error', call, new Random(1)).text];
  }
  if (parsed.name === 'python') return ["Error when executing tool: unknown tool 'python'"];
  const infra = ['internal_error', 'queue_timeout'].map(
    (reason) => `Tool call failure\nreason: ${reason}\nexecution time:`,
  );
  const program = programs.get(parsed.arguments.code);
  if (program === undefined) return [];
  const { stdout, stderr, timeout } = program;
  if (timeout)
    return ['Tool call failure\nreason: worker_timeout\nstdout: Suicide from timeout.\n\nexecution time:'];
  if (stderr !== undefined) return [`Tool call failure\nreason: \nstderr: ${stderr}\n\nexecution time:`];
  const printed = stdout === '' ? '' : `stdout: ${stdout}\n\n`;
  return [`Tool call success\n${printed}execution time:`, ...infra];
}
