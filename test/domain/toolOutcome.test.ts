import { describe, expect, it } from 'vitest';
import { readToolResponse } from '../../shared/domain/toolOutcome.ts';

describe('readToolResponse of a Python tool that answers in JSON', () => {
  it.each([
    [{ stdout: '42\n', stderr: '', result: null }, 'ok_stdout'],
    [{ stdout: '', stderr: '', result: null }, 'ok_empty'],
    [{ stdout: '', stderr: '', result: 42 }, 'ok_stdout'],
    [
      { stdout: '1\n', stderr: 'Traceback (most recent call last):\n  …\nNameError: x', result: null },
      'exception',
    ],
    [{ stdout: '', stderr: "NameError: name 'x' is not defined" }, 'exception'],
    [{ stdout: '3\n', stderr: 'a.py:1: DeprecationWarning: use b', result: null }, 'ok_stdout'],
    [{ stdout: '', stderr: '', error: 'no kernel' }, 'error'],
    [{ stdout: 3, stderr: null }, 'ok'],
  ] as const)('%j is %s', (response, outcome) => {
    expect(readToolResponse(JSON.stringify(response))).toEqual({ outcome });
    expect(readToolResponse(JSON.stringify(response, undefined, 2))).toEqual({ outcome });
  });

  it('treats braces that are not JSON as printed output', () => {
    expect(readToolResponse('{"stdout": "stderr"')).toEqual({ outcome: 'ok' });
  });
});
