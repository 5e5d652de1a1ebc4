/** What a Python tool answers in a continuation: written like the earlier outputs of the run. */
import type { PythonAnswer, PythonReport } from './pythonAnswer.ts';

/** UTF-16 units of stdout and of stderr: the limit of rStar2-Agent's tool, and of others. */
const LONGEST_OF_RELEASE = 1_000;
const LONGEST = 20_000;

/** @param sample an earlier output of the run; absent: the printed text alone */
export function toolReply(answer: PythonAnswer, sample: string | undefined): string {
  const body = sample?.trimStart() ?? '';
  if (/^tool call (?:success|fail)/i.test(body)) return statusReply(answer);
  if (body.startsWith('{') && body.includes('"stdout"') && body.includes('"stderr"'))
    return jsonReply(answer);
  return plainReply(answer);
}

/** As rStar2-Agent's tool answers (shared/domain/DOMAIN.md#tools-of-the-release). */
function statusReply(answer: PythonAnswer): string {
  if (answer.kind === 'timed_out')
    return `Tool call failure\nreason: worker_timeout\nexecution time: ${(answer.limitMs / 1000).toFixed(2)}s`;
  if (answer.kind === 'crashed')
    return `Tool call failure\nreason: internal_error\nstderr: ${answer.message}`;
  const time = `execution time: ${(answer.milliseconds / 1000).toFixed(2)}s`;
  if (answer.error !== undefined)
    return `Tool call failure\nreason: \nstderr: ${errorText(answer).slice(0, LONGEST_OF_RELEASE)}\n\n${time}`;
  return answer.stdout === ''
    ? `Tool call success\n${time}`
    : `Tool call success\nstdout: ${answer.stdout.slice(0, LONGEST_OF_RELEASE)}\n${time}`;
}

/** As the Python tools of NeMo-Gym answer. */
function jsonReply(answer: PythonAnswer): string {
  if (answer.kind !== 'done')
    return JSON.stringify({ stdout: '', stderr: failureText(answer), result: null });
  return JSON.stringify({
    stdout: answer.stdout.slice(0, LONGEST),
    stderr: answer.error === undefined ? '' : errorText(answer),
    result: answer.lastValue ?? null,
  });
}

function plainReply(answer: PythonAnswer): string {
  if (answer.kind !== 'done') return failureText(answer);
  const parts = [answer.stdout.slice(0, LONGEST).replace(/\n$/, '')];
  if (answer.error !== undefined) parts.push(errorText(answer));
  else if (answer.lastValue !== undefined) parts.push(answer.lastValue);
  return parts.filter((part) => part !== '').join('\n');
}

const failureText = (answer: Exclude<PythonAnswer, PythonReport>): string =>
  answer.kind === 'timed_out' ? `TimeoutError: longer than ${answer.limitMs / 1000} s` : answer.message;

const errorText = ({ error }: PythonReport): string => error?.traceback.trimEnd() ?? '';
