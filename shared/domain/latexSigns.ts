/** LaTeX as plain signs, for one line of a list. Brackets keep its meaning: `\frac{a+b}{2}` is `(a+b)/2`. */

/** LaTeX commands and their signs; '' removes the command. Any other command is replaced by its name. */
const SIGNS: ReadonlyMap<string, string> = new Map([
  ...[
    ['times', '×'],
    ['cdot', '·'],
    ['div', '÷'],
    ['pm', '±'],
    ['le', '≤'],
    ['leq', '≤'],
    ['ge', '≥'],
  ],
  ...[
    ['geq', '≥'],
    ['ne', '≠'],
    ['neq', '≠'],
    ['pi', 'π'],
    ['theta', 'θ'],
    ['alpha', 'α'],
    ['beta', 'β'],
  ],
  ...[
    ['infty', '∞'],
    ['sum', 'Σ'],
    ['sqrt', '√'],
    ['circ', '°'],
    ['angle', '∠'],
    ['lceil', '⌈'],
    ['rceil', '⌉'],
    ['lfloor', '⌊'],
    ['rfloor', '⌋'],
    ['lt', '<'],
    ['gt', '>'],
    ['in', '∈'],
    ['to', '→'],
  ],
  ...[
    ['ldots', '…'],
    ['dots', '…'],
    ['cdots', '…'],
    ['quad', ' '],
    ['qquad', ' '],
  ],
  ...[
    'left',
    'right',
    'displaystyle',
    'text',
    'textbf',
    'textit',
    'mathrm',
    'mathbf',
    'mathbb',
    'mathcal',
  ].map((name) => [name, ''] as const),
  ...['operatorname', 'boxed', 'begin', 'end'].map((name) => [name, ''] as const),
] as readonly (readonly [string, string])[]);

/** Commands with arguments in braces. */
const STRUCTURES = new Set([
  ...['frac', 'dfrac', 'tfrac', 'cfrac', 'sqrt'],
  ...['text', 'textbf', 'textit', 'mathrm', 'mathbf', 'mathbb', 'mathcal', 'mbox', 'operatorname', 'boxed'],
]);
const NAMED_TEXT =
  /\\(?:text|textbf|textit|mathrm|mathbf|mathbb|mathcal|mbox|operatorname|boxed)\{([^{}]{0,200})\}/g;
const FRACTION = /([^\s])?\\[dtc]?frac(?:\{([^{}]{0,200})\}\{([^{}]{0,200})\}|(\d)(\d))(?=([^\s])?)/gu;
/** Structures nested deeper are not resolved. */
const DEEPEST = 6;
/** Stand for the braces of a set, apart from those of a structure. */
const [SET, SET_END] = ['\ue000', '\ue001'];

/** For the beginning of a question, which may end within a formula. Commands that have no sign are replaced by their names. */
export function withoutLatex(text: string): string {
  if (!/[\\$]/.test(text)) return text;
  return (
    withoutStructures(
      withoutAlignment(text)
        .replace(/\$\$?(?=\S)([^$]{1,400}?)(?<=\S)\$\$?(?!\d)/g, '$1')
        // A blank after the dollar sign is that of a formula if a name or a command follows, else that of a price.
        .replace(/\$ ((?:[A-Za-z]|\\)(?:[^$]{0,400}[=^_\\<>+][^$]{0,400})?) ?\$(?!\d)/g, '$1')
        // The environment, with the columns of an array.
        .replace(/\\(?:begin|end)\{[A-Za-z]{1,20}\*?\}(?:\{[^{}]{0,20}\})?/g, ' '),
    )
      .replace(/\\([A-Za-z]{1,20})/g, (_, name: string) => SIGNS.get(name) ?? name)
      .replace(/\\[()[\]]/g, ' ')
      // Removes the rest of a truncated formula. A dollar sign before a number is kept, because it is a price.
      .replace(/\$(?=[A-Za-z(])|[{}\\]/g, '')
      .replaceAll(SET, '{')
      .replaceAll(SET_END, '}')
  );
}

/** Leaves out the column marks of an environment, and the brackets that `\left.` and `\right.` leave out. */
const withoutAlignment = (text: string): string =>
  text.includes('\\begin{') ? text.replace(/(?<!\\) ?& ?/g, ' ').replace(/\\(?:left|right) ?\./g, '') : text;

/** UTF-16 units. A longer answer is shown as logged. */
const LONGEST_ANSWER = 200;

/**
 * An answer or a ground truth for a list: `25/6` for `\frac{25}{6}`, `2 1/2` for `2\frac{1}{2}`.
 *
 * @returns the answer as logged if any part of it has no plain form, such as a matrix or a formula that was cut off
 */
export function plainAnswer(answer: string): string {
  if (answer.length > LONGEST_ANSWER || !/\\[A-Za-z%${([ ,;:!]|[\^_]\{/.test(answer)) return answer;
  const plain = withoutStructures(
    answer
      .trim()
      .replace(/^\$([^$]+)\$$|^\\\(([^$]+)\\\)$|^\\\[([^$]+)\\\]$/, (_, a = '', b = '', c = '') => a + b + c)
      .replace(/\\([%$&#])/g, '$1'),
  );
  if (/[\\{}]/.test(plain)) return answer;
  return plain.replaceAll(SET, '{').replaceAll(SET_END, '}').replace(/ {2,}/g, ' ').trim();
}

/** Leaves what it does not know as it is. */
function withoutStructures(text: string): string {
  let plain = text
    .replace(/\^\s?(?:\{\s?\\circ\s?\}|\\circ(?![A-Za-z]))/g, '°')
    .replace(/\\[,;:! ]/g, ' ')
    .replace(/\\\{/g, SET)
    .replace(/\\\}/g, SET_END)
    .replace(/\\([A-Za-z]{1,20})/g, (command, name: string) =>
      STRUCTURES.has(name) || name === 'begin' || name === 'end' ? command : (SIGNS.get(name) ?? command),
    );
  for (let depth = 0; depth < DEEPEST && plain.includes('{'); depth++)
    plain = plain
      .replace(NAMED_TEXT, '$1')
      .replace(/\\sqrt\{([^{}]{0,200})\}/g, (_, of: string) => `√${bracketed(of)}`)
      .replace(/([\^_])\{([^{}]{0,200})\}/g, (_, place: string, of: string) => place + bracketed(of))
      .replace(FRACTION, fraction);
  return plain.replace(FRACTION, fraction);
}

/** Apart from what it is multiplied with. */
function fraction(_: string, before = '', over = '', under = '', digit = '', below = '', after = ''): string {
  const written = `${bracketed(over + digit)}/${bracketed(under + below)}`;
  if (/\d/.test(before)) return `${before} ${written}`;
  const isFactor = /[\p{L})°]/u.test(before) || /[\p{L}\d(√^\\]/u.test(after);
  return before + (isFactor || before === '^' || before === '_' ? `(${written})` : written);
}

/** In brackets, unless it is one number or name. */
function bracketed(part: string): string {
  const text = part.trim();
  return /^[\p{L}\d.°]*$/u.test(text) ? text : `(${text})`;
}
