/**
 * Writes a pack as one self-contained HTML page: no script, no network, only folds and internal links.
 * Cases are written first; the head with index and report is put before them at the end.
 */

import type { Taxonomy } from '../../../shared/domain/annotate/taxonomy.ts';
import { RUN_KIND_NAMES } from '../../../shared/domain/words.ts';
import { chip, colourClass } from './htmlCase.ts';
import { PAIR_COLUMNS } from './htmlPair.ts';
import { PACK_STYLE } from './htmlStyle.ts';
import { attribute, html } from './htmlText.ts';
import type { Manifest } from './manifest.ts';
import { stepsText } from './markdown.ts';
import {
  caseName,
  counted,
  keptText,
  labelsOf,
  OUTCOME_GLYPH,
  outcomeOf,
  type PackCase,
  shortAnswer,
} from './packCase.ts';
import { derivedVerdicts, hasDecisions, type LabelSummary, type PackSummary, tallyName } from './summary.ts';

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** A row of the index. */
export function indexRow(one: PackCase, taxonomy: Taxonomy, id: string, number: number): string {
  const outcome = outcomeOf(one);
  const kept = keptText(one);
  const labels = labelsOf(one, taxonomy).map((label) => chip(taxonomy, label));
  return `<tr><td class="n dim">${number}</td><td><span class="${outcome}">${OUTCOME_GLYPH[outcome]}</span></td><td class="long"><a href="#${id}"><bdi>${html(caseName(one))}</bdi></a></td>\
<td class="long">${html(shortAnswer(one) ?? '')}</td><td${kept === undefined ? '' : ` class="${kept}"`}>${kept ?? '<span class="unknown">unknown</span>'}</td><td class="labels">${labels.join(' ')}</td></tr>
`;
}

/** The style hides `kept`, the fifth column with the number, where no decision is logged. */
const COLUMNS_OF_CASES = ['', 'rollout', 'answer', 'kept', 'labels'];

/** @param pairs their number, in a pack of pairs */
export function htmlHead(
  summary: PackSummary,
  taxonomy: Taxonomy,
  index: readonly string[],
  { choice, counts: { pairs } }: Manifest,
): string {
  const { cases, annotations, siblings, byClass, byKept, labels, runs } = summary;
  const columns = pairs === undefined ? COLUMNS_OF_CASES : PAIR_COLUMNS;
  const title = `${pairs === undefined ? counted(cases, 'case') : `${counted(pairs, 'pair')}${changesText(choice.changes, summary)}`} with ${counted(annotations, 'annotation')}`;
  // A pair is two cases, so their figures count rollouts.
  const noun = pairs === undefined ? 'case' : 'rollout';
  const unknown = (n: number): string => (n === 0 ? '' : `, ${n} not known`);
  const report = labels.length === 0 ? '' : `${reportHtml(summary, taxonomy, noun)}\n`;
  const list = `<section><details open><summary><b>${pairs === undefined ? 'Cases' : 'Pairs'}</b></summary><div class="scroll"><table${pairs === undefined && !hasDecisions(summary) ? ' class="without-kept"' : ''}><thead><tr><th class="n">#</th>${columns.map((name) => `<th>${name}</th>`).join('')}</tr></thead><tbody>
${index.join('')}</tbody></table></div></details></section>\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${html(title)} · Turnwise</title>
<style>${PACK_STYLE}</style>
</head>
<body>
<header><p class="muted"><span class="brand">Turnwise</span> failure pack</p><h1>${html(title)}</h1>
<p class="muted"><span class="correct">✓ ${byClass.correct} correct</span>, <span class="incorrect">✕ ${byClass.incorrect} incorrect</span>${derivedVerdicts(summary)}${unknown(byClass.unknown)}${hasDecisions(summary) ? ` · <span class="kept">${byKept.kept} kept</span>, ${byKept.discarded} discarded${unknown(byKept.unknown)}` : ''}${siblings === 0 ? '' : ` · ${counted(siblings, 'sibling')} beside them`}</p>
<p class="muted">${runs.map((run) => `<bdi>${html(run.name)}</bdi> <span class="dim">${RUN_KIND_NAMES[run.kind]}, ${run.steps.length === 1 ? 'step' : 'steps'} ${stepsText(run.steps)}, ${counted(run.cases, noun)}</span>`).join('<br>')}</p>${pairs === undefined ? '' : '\n<p class="muted">Marked: text that the other side lacks, <del>before</del> and <ins>after</ins>.</p>'}</header>
${(pairs === undefined ? [report, list] : [list, report]).join('')}<main>
`;
}

/** ` that became incorrect from step 0 to step 60`. Empty if the pairs were picked by hand. */
function changesText(changes: Manifest['choice']['changes'], { runs }: PackSummary): string {
  if (changes === undefined) return '';
  const { from, to, became } = changes;
  const sideText = ({ run: key, step }: typeof from): string => {
    const run = runs.find((one) => one.key === key);
    const steps = run?.steps.length === 0 ? [] : [`step ${step}`];
    return [...steps, ...(from.run === to.run ? [] : [run?.name ?? key])].join(' of ');
  };
  return ` that became ${became} from ${sideText(from)} to ${sideText(to)}`;
}

function reportHtml(summary: PackSummary, taxonomy: Taxonomy, noun: 'case' | 'rollout'): string {
  const { labels, runs } = summary;
  const columns = [...CLASS_COLUMNS, ...(hasDecisions(summary) ? DECISION_COLUMNS : [])].filter(
    // Leaves out the "unknown" columns when all their counts are zero.
    ({ isSure, of }) => isSure || labels.some((one) => of(one) > 0),
  );
  const outcomes = [...new Set(labels.flatMap(({ byOutcome }) => Object.keys(byOutcome)))];
  const matrix = (head: readonly string[], of: (label: LabelSummary) => readonly number[]): string =>
    `<div class="scroll"><table><thead><tr><th>label</th>${head.map((name) => `<th class="n">${html(name)}</th>`).join('')}</tr></thead><tbody>${labels
      .map(
        (one) => `<tr><td class="labels">${nameHtml(one, taxonomy)}</td>${of(one).map(cell).join('')}</tr>`,
      )
      .join('')}</tbody></table></div>`;
  return `<section><h2>Labels</h2>${matrix([`${noun}s`, ...columns.map(({ name }) => name)], (one) => [
    one.cases,
    ...columns.map(({ of }) => of(one)),
  ])}
<h3 class="steps">${noun === 'case' ? 'Cases' : 'Rollouts'} by step</h3><div class="report">${labels.map((one) => stepsFigure(one, taxonomy, summary, noun)).join('')}</div>
<details><summary><b>By tool outcome</b> a ${noun} with two kinds counts in both</summary>${matrix(
    outcomes.map(tallyName),
    ({ byOutcome }) => outcomes.map((outcome) => byOutcome[outcome] ?? 0),
  )}</details>
${
  runs.length < 2
    ? ''
    : `<details><summary><b>By run</b></summary>${matrix(
        runs.map(({ name }) => name),
        ({ byRun }) => runs.map(({ key }) => byRun[key] ?? 0),
      )}</details>`
}</section>`;
}

interface CountColumn {
  readonly name: string;
  readonly isSure: boolean;
  readonly of: (label: LabelSummary) => number;
}

const CLASS_COLUMNS: readonly CountColumn[] = [
  { name: 'annotations', isSure: true, of: ({ annotations }) => annotations },
  { name: '✓ correct', isSure: true, of: ({ byClass }) => byClass.correct },
  { name: '✕ incorrect', isSure: true, of: ({ byClass }) => byClass.incorrect },
  { name: 'correctness unknown', isSure: false, of: ({ byClass }) => byClass.unknown },
];

const DECISION_COLUMNS: readonly CountColumn[] = [
  { name: 'kept', isSure: true, of: ({ byKept }) => byKept.kept },
  { name: 'discarded', isSure: true, of: ({ byKept }) => byKept.discarded },
  { name: 'decision unknown', isSure: false, of: ({ byKept }) => byKept.unknown },
];

function nameHtml({ label, name }: LabelSummary, taxonomy: Taxonomy): string {
  return label === undefined ? `<span class="muted">${html(name)}</span>` : chip(taxonomy, label);
}

const cell = (n: number): string => `<td class="n${n === 0 ? ' dim' : ''}">${n}</td>`;

const WIDTH = 260;
const HEIGHT = 40;
/** Steps whose counts are written under the bars. */
const FEW_STEPS = 6;

/** One bar per step with cases, placed among all steps of the pack, with the classes beside it. */
function stepsFigure(
  one: LabelSummary,
  taxonomy: Taxonomy,
  { runs }: PackSummary,
  noun: 'case' | 'rollout',
): string {
  const places = runs.flatMap(
    ({ key, steps }): { readonly run: string; readonly step: number | undefined }[] =>
      steps.length === 0 ? [{ run: key, step: undefined }] : steps.map((step) => ({ run: key, step })),
  );
  const most = Math.max(1, ...one.bySteps.map(({ cases }) => cases));
  const wide = WIDTH / Math.max(1, places.length);
  const bars = one.bySteps.map(({ run, step, cases }) => {
    const at = places.findIndex((place) => place.run === run && place.step === step);
    const high = (cases / most) * HEIGHT;
    const words = `${step === undefined ? 'no step logged' : `step ${step}`}: ${counted(cases, noun)}`;
    const width = Math.min(14, Math.max(1, wide - 1));
    return `<rect class="bar" x="${round((at + 0.5) * wide - width / 2)}" y="${round(HEIGHT - high)}" width="${round(width)}" height="${round(high)}"><title>${words}</title></rect>`;
  });
  const { correct, incorrect, unknown } = one.byClass;
  const stack = [
    { class: 'bar-correct', n: correct, words: 'correct' },
    { class: 'bar-incorrect', n: incorrect, words: 'incorrect' },
    { class: 'bar-unknown', n: unknown, words: 'not known' },
  ];
  let x = 0;
  const parts = stack.map(({ class: name, n, words }) => {
    const from = x;
    x += (n / Math.max(1, one.cases)) * WIDTH;
    return n === 0
      ? ''
      : `<rect class="${name}" x="${round(from)}" y="${HEIGHT + 6}" width="${round(x - from)}" height="5"><title>${words}: ${n}</title></rect>`;
  });
  const [first, last] = [places[0], places.at(-1)];
  const areFew = runs.length === 1 && one.bySteps.length <= FEW_STEPS;
  const span =
    first?.step === undefined || last?.step === undefined
      ? ''
      : areFew
        ? `${one.bySteps.map(({ step, cases }) => `step ${step}: ${cases}`).join(', ')}; `
        : `${first.step === last.step ? `step ${first.step}` : `steps ${first.step} to ${last.step}`}${runs.length > 1 ? `, ${runs.length} runs` : ''}; `;
  const words = `${span}${correct} correct, ${incorrect} incorrect${unknown === 0 ? '' : `, ${unknown} unknown`}`;
  return `<figure class="${colourClass(taxonomy, one.label)}"><figcaption><span>${nameHtml(one, taxonomy)}</span><span>${counted(one.cases, noun)}, at most ${most} a step</span></figcaption>\
<svg viewBox="0 0 ${WIDTH} ${HEIGHT + 12}" role="img" aria-label="${attribute(`${one.name}: ${words}`)}"><line class="axis" x1="0" x2="${WIDTH}" y1="${HEIGHT + 0.5}" y2="${HEIGHT + 0.5}"/>${bars.join('')}${parts.join('')}</svg><small class="dim">${span}<span class="correct">${correct} correct</span>, <span class="incorrect">${incorrect} incorrect</span>${unknown === 0 ? '' : `, ${unknown} unknown`}</small></figure>`;
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** @param sha256 hash of the cases, from the line after `<main>` to the line before `</main>` */
export function htmlTail(manifest: Manifest, sha256: string): string {
  const text = JSON.stringify({ ...manifest, sha256_of_main: sha256 }, undefined, 1);
  return `</main>
<section><details><summary><b>Manifest</b> what was exported, and how</summary><pre>${html(text)}</pre></details></section>
</body>
</html>
`;
}
