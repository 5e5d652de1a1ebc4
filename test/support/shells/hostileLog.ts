/**
 * A small log whose texts all try to escape: HTML, script, event handlers, images and links in Markdown, ANSI
 * and bidi controls. If any of it runs, `window.pwned` exists.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const HOSTILE_RUN = 'hostile-run';
/** Target host of the texts; no test machine has it, and no request may contact it. */
export const BEACON = 'beacon.attacker.example';

export const HOSTILE_TEXT = [
  '<script>window.pwned = "script"</script>',
  '<img src=x onerror="window.pwned=\'image\'">',
  '<svg onload="window.pwned=\'svg\'"></svg>',
  '<iframe srcdoc="<script>parent.pwned=1</script>"></iframe>',
  '<details open ontoggle="window.pwned=1"><summary>x</summary></details>',
  `![pixel](https://${BEACON}/markdown.png)`,
  `![local](http://127.0.0.1:1/${BEACON})`,
  '[a link](javascript:window.pwned=1)',
  '<a href="javascript:window.pwned=1">an anchor</a>',
  `[out](https://${BEACON}/)`,
  '<style>@import url(https://beacon.attacker.example/s.css); body{display:none}</style>',
  '<meta http-equiv="refresh" content="0;url=https://beacon.attacker.example/">',
  '<base href="https://beacon.attacker.example/">',
  '$\\href{javascript:window.pwned=1}{x}$ and $\\includegraphics{https://beacon.attacker.example/k.png}$',
  '$\\htmlData{x=1}{y}$ $\\url{javascript:window.pwned=1}$',
  '\u001b]8;;https://beacon.attacker.example/\u0007ansi link\u001b]8;;\u0007 \u001b[31mred\u001b[0m',
  '\u202eright to left\u202c \u0000 \ufeff',
  '</div></body></html><script>window.pwned=2</script>',
  '{{constructor.constructor("window.pwned=3")()}} ${' + 'window.pwned=4}',
].join('\n\n');

/** Small texts that crash or block a page that renders every element in them. */
export const HEAVY_TEXTS: Readonly<Record<string, string>> = {
  'nested roots': `$${'\\sqrt{'.repeat(300)}x${'}'.repeat(300)}$`,
  'roots without braces': `$${'\\sqrt'.repeat(1_000)} x$`,
  'open brackets': `$${'\\left('.repeat(1_000)}x$`,
  'list marks': `${'- '.repeat(5_000)}x`,
  'numbers of lists': `${'1. '.repeat(1_000)}x`,
  'quote marks': `${'> '.repeat(3_000)}x`,
  'headings by underlines': 'a\n=\n'.repeat(10_000),
  'small formulas': '$x$ '.repeat(20_000),
  'bidirectional marks': '\u202e'.repeat(20_000),
  'hidden spaces': 'a\u200b'.repeat(10_000),
  'terminal colours': '\u001b[31ma\u001b[0m'.repeat(10_000),
  'deep emphasis': `${'*a _b '.repeat(2_000)}`,
};
export const HEAVY_GROUP = 'heavy';

function heavyRollout([name, text]: readonly [string, string], index: number): object {
  return {
    ...{ v: 1, type: 'rollout', run: HOSTILE_RUN, step: 1, split: 'train', group: HEAVY_GROUP, index },
    problem: { id: 'heavy', prompt: 'What is it?' },
    messages: [
      { role: 'assistant', content: `Begin of ${name}.\n\n${text}\n\nEnd of ${name}.` },
      { role: 'assistant', content: `<answer>${text}</answer>` },
    ],
    reward: 0,
    answer: text,
  };
}

function rollout(index: number): object {
  return {
    v: 1,
    type: 'rollout',
    run: HOSTILE_RUN,
    step: 0,
    split: 'train',
    group: `g/${HOSTILE_TEXT.slice(0, 60)}`,
    index,
    problem: { id: `p/${HOSTILE_TEXT.slice(0, 60)}`, prompt: HOSTILE_TEXT, ground_truth: HOSTILE_TEXT },
    messages: [
      {
        role: 'assistant',
        content: HOSTILE_TEXT,
        tool_calls: [
          {
            id: 'call-1',
            type: 'function',
            function: { name: 'python', arguments: JSON.stringify({ code: HOSTILE_TEXT }) },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'call-1', content: HOSTILE_TEXT },
      { role: 'assistant', content: `<answer>${HOSTILE_TEXT}</answer>` },
    ],
    reward: index % 2,
    is_correct: index % 2 === 1,
    answer: HOSTILE_TEXT,
    stop_reason: 'answer',
    extra: { note: HOSTILE_TEXT },
  };
}

/** @returns the file's path */
export function writeHostileLog(directory: string): string {
  const path = join(directory, 'hostile.jsonl');
  const run = {
    v: 1,
    type: 'run',
    run: HOSTILE_RUN,
    name: '<b>hostile</b> run',
    model: '<img src=x onerror=window.pwned=5>',
  };
  const lines = [
    run,
    ...Array.from({ length: 4 }, (_, index) => rollout(index)),
    ...Object.entries(HEAVY_TEXTS).map(heavyRollout),
  ];
  writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  return path;
}
