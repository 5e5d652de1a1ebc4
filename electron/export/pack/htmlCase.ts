/** Writes one case as HTML: facts, annotations, problem, and turns with marked text. */

import type { AnnotationRow } from '../../../shared/api/contract.ts';
import { LABEL_COLOURS, type Taxonomy } from '../../../shared/domain/annotate/taxonomy.ts';
import { firstFrom } from '../../../shared/domain/ascending.ts';
import { flagText, outcomeName } from '../../../shared/domain/words.ts';
import { type Heat, heatOf } from './htmlHeat.ts';
import { noteText } from './htmlNote.ts';
import { html, type Mark, markedHtml } from './htmlText.ts';
import {
  type CaseSegment,
  type CaseTurn,
  caseName,
  counted,
  derivedText,
  factOf,
  innerText,
  keptText,
  labelName,
  labelsOf,
  numberFact,
  OUTCOME_GLYPH,
  outcomeOf,
  type PackCase,
  problemParts,
  targetText,
  textFact,
  turnsOf,
  whyText,
} from './packCase.ts';
import { relevantTurns, turnOfAnnotation } from './relevantTurns.ts';

export function chip(taxonomy: Taxonomy, label: string): string {
  return `<span class="chip ${colourClass(taxonomy, label)}">${html(labelName(taxonomy, label))}</span>`;
}

/** Maps a label to a colour class. A label that is not in the taxonomy is grey. */
export function colourClass(taxonomy: Taxonomy, label: string | undefined): string {
  const colour = taxonomy.labels.find(({ id }) => id === label)?.colour;
  // A library from somebody else may contain any text here.
  return `l-${LABEL_COLOURS.find((known) => known === colour) ?? 'grey'}`;
}

/** Element ids are numbers, because log text must never become an id. */
export interface Drawn {
  readonly one: PackCase;
  readonly taxonomy: Taxonomy;
  readonly id: string;
  readonly heat: Heat | undefined;
  /** Ends of the marks of heat, which are in order. */
  readonly heatEnds: readonly number[];
  /** Annotations on the response. */
  readonly marks: readonly Mark[];
  readonly promptMarks: readonly Mark[];
  readonly numberOf: ReadonlyMap<AnnotationRow, number>;
}

/** @param id id of the element */
export function caseHtml(one: PackCase, taxonomy: Taxonomy, id: string): string {
  const drawn = drawnOf(one, taxonomy, id);
  return `<article class="case" id="${id}">
${topHtml(drawn)}${problemHtml(drawn)}
${turnsHtml(drawn)}</article>
`;
}

/** @param id prefix of the ids of its notes */
export function drawnOf(one: PackCase, taxonomy: Taxonomy, id: string): Drawn {
  const heat = heatOf(one.rollout.tokens, one.rollout.response);
  const numberOf = new Map(one.annotations.map((row, i) => [row, i + 1]));
  const spans = (text: 'prompt' | 'response'): readonly Mark[] =>
    one.annotations.flatMap((row) => spanMark(row, text, taxonomy, `${id}n${numberOf.get(row) ?? 0}`));
  return {
    one,
    taxonomy,
    id,
    heat,
    heatEnds: heat?.marks.map(({ end }) => end) ?? [],
    marks: spans('response'),
    promptMarks: spans('prompt'),
    numberOf,
  };
}

/** The rollout's name, labels, facts and annotations. */
export function topHtml(drawn: Drawn): string {
  const { one, heat } = drawn;
  return `${headHtml(drawn)}${factsHtml(drawn)}${heatHtml(one, heat)}${notesHtml(drawn, undefined)}`;
}

function spanMark(
  row: AnnotationRow,
  text: 'prompt' | 'response',
  taxonomy: Taxonomy,
  noteId: string,
): readonly Mark[] {
  const { target, place, label } = row;
  if (target.kind !== 'span' || target.anchor.text !== text) return [];
  if (place?.start === undefined || place.end === undefined) return [];
  const colour = colourClass(taxonomy, label);
  const name = label === undefined ? 'note' : labelName(taxonomy, label);
  return [
    {
      start: place.start,
      end: place.end,
      open: `<mark class="m ${colour}">`,
      close: '</mark>',
      after: `<a class="tag ${colour}" href="#${noteId}">${html(name)}</a>`,
    },
  ];
}

function headHtml({ one, taxonomy }: Drawn): string {
  const outcome = outcomeOf(one);
  const glyph = `<span class="${outcome}">${OUTCOME_GLYPH[outcome]}</span>`;
  const labels = labelsOf(one, taxonomy).map((label) => chip(taxonomy, label));
  const flags = one.flags.map(({ flag }) => `<span class="chip bare">⚑ ${html(flagText(flag))}</span>`);
  const chips = [...labels, ...flags];
  const kind = one.isSibling ? '<small>sibling</small>' : '';
  return `<h2>${glyph}<span class="place"><bdi>${html(caseName(one))}</bdi></span>${kind}</h2>
${chips.length === 0 ? '' : `<div class="chips">${chips.join('')}</div>\n`}`;
}

function factsHtml({ one }: Drawn): string {
  const outcome = outcomeOf(one);
  const kept = keptText(one);
  const fact = (name: string, value: string | number | undefined, source = ''): string =>
    value === undefined ? '' : `<span>${name} <b><bdi>${html(String(value))}</bdi></b>${source}</span>`;
  const calls = numberFact(one, 'tool_calls');
  const malformed = numberFact(one, 'malformed_calls');
  const reason = whyText(one);
  const answer = textFact(one, 'answer');
  return `<div class="facts"><span class="${outcome}">${outcome === 'unknown' ? 'correctness unknown' : outcome}</span>${outcome === 'unknown' ? '' : derivedText(one, 'correct_source')}\
${fact('answer', answer ?? 'none known', answer === undefined ? '' : derivedText(one, 'answer_source'))}${fact('ground truth', textFact(one, 'ground_truth'))}\
${fact('reward', factOf(one, 'reward'))}${kept === undefined ? '' : `<span><span class="${kept}">${kept}</span>${reason === undefined ? '' : ` <small>${html(reason)}</small>`}</span>`}\
${fact('turns', factOf(one, 'turns'))}${fact('tool calls', calls)}${calls === 0 ? '' : fact('failed', factOf(one, 'tool_errors'))}${malformed === 0 ? '' : fact('malformed calls', malformed)}\
${fact('stopped by', textFact(one, 'stop_reason'), derivedText(one, 'stop_reason_source'))}${fact('problem', textFact(one, 'problem_id'))}</div>
`;
}

function heatHtml({ rollout }: PackCase, heat: Heat | undefined): string {
  // The pack was requested without tokens.
  if (rollout.tokens === undefined) return '';
  if (heat === undefined)
    return '<p class="muted">No heat: the logged tokens are not aligned with this text, or have no entropy or log-probability.</p>\n';
  if (heat.threshold === undefined)
    return `<p class="muted">No heat: no token is high (${html(heat.words)}).</p>\n`;
  const levels = ['top 20 %', '10 %', '4 %', '1 %'].map((share, i) => `<i class="h${i + 1}">${share}</i>`);
  return `<p class="legend">${levels.join('')}<span>of the policy's tokens, from ${heat.threshold.toFixed(2)}: ${html(heat.words)}</span></p>\n`;
}

export function problemHtml(drawn: Drawn): string {
  const { one, promptMarks } = drawn;
  // A sibling shares the problem of its case, which is shown beside it.
  if (one.isSibling) return '';
  const { prompt, promptSegments } = one.rollout;
  const parts =
    promptMarks.length === 0
      ? problemParts(one).map(({ role, text }) => ({ role, content: html(text) }))
      : promptSegments.length === 0
        ? [{ role: 'user', content: markedHtml(prompt, 0, prompt.length, promptMarks) }]
        : promptSegments.map((segment) => ({
            role: segment.kind === 'system' ? 'system' : 'user',
            content: markedHtml(prompt, segment.inner_start, segment.inner_end, promptMarks),
          }));
  const system = parts.filter(({ role }) => role === 'system');
  const asked = parts.filter(({ role }) => role !== 'system');
  const body = asked.map(({ content }) => `<div class="prose">${content}</div>`).join('');
  const instructions =
    system.length === 0
      ? ''
      : `<details${promptMarks.length === 0 ? '' : ' open'}><summary>System prompt, ${counted(
          problemParts(one)
            .filter(({ role }) => role === 'system')
            .reduce((sum, { text }) => sum + text.length, 0),
          'character',
        )}</summary>${system.map(({ content }) => `<div class="prose">${content}</div>`).join('')}</details>`;
  return `<details class="problem" open><summary><b>Problem</b></summary>${instructions}${body}${notesHtml(drawn, 0)}</details>`;
}

function turnsHtml(drawn: Drawn): string {
  const turns = turnsOf(drawn.one);
  const matter = relevantTurns(drawn.one, turns);
  return turns.map((turn) => turnHtml(drawn, turn, matter.has(turn.turn))).join('');
}

function turnHtml(drawn: Drawn, turn: CaseTurn, isOpen: boolean): string {
  const { response } = drawn.one.rollout;
  const calls = turn.calls.map(
    ({ name, outcome, isError, latency_ms: latency }) =>
      `<span class="${isError ? 'incorrect' : ''}">${html(name ?? 'tool')} ${isError ? '✕' : '›'} ${html(outcomeName(outcome))}${latency === null ? '' : `, ${seconds(latency)}`}</span>`,
  );
  const chars = turn.segments.reduce((sum, { segment }) => sum + segment.end - segment.start, 0);
  const words = [...calls, counted(chars, 'character')].join(' · ');
  const body = turn.segments
    .filter((each) => isShown(response, each))
    .map((each) => segmentHtml(drawn, each));
  return `<details class="turn"${isOpen ? ' open' : ''}><summary><b>Turn ${turn.turn}</b> ${words}</summary>
${notesHtml(drawn, turn.turn, 'turn')}${turn.redacted === '' ? '' : `<p class="muted">${turn.redacted}</p>`}${body.join('')}${notesHtml(drawn, turn.turn, 'text')}</details>
`;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

const isShownAsCode = (segment: CaseSegment['segment'], call: CaseSegment['call']): boolean =>
  segment.kind === 'tool-call' && call?.code !== undefined && call.outcome !== 'malformed';

/** A blank text is left out, unless it is that of a malformed call. */
export const isShown = (response: string, { segment, call }: CaseSegment): boolean =>
  call?.outcome === 'malformed' || innerText(response, segment).trim() !== '';

/** The text that is shown of a segment: the code of a call that has code, else the text as written. */
export function shownText({ rollout }: PackCase, { segment, call }: CaseSegment): string {
  return isShownAsCode(segment, call) ? (call?.code ?? '') : innerText(rollout.response, segment);
}

/** Returns the marks within a piece of the response. There may be a mark of heat for each token. */
function marksWithin({ marks, heat, heatEnds }: Drawn, start: number, end: number): readonly Mark[] {
  const first = firstFrom(heatEnds, start + 1);
  const next = firstFrom(heatEnds, end);
  return [...marks, ...(heat?.marks.slice(first, next + 1) ?? [])];
}

/** @param differences marks on `shownText` */
export function segmentHtml(
  drawn: Drawn,
  { segment, call, answers }: CaseSegment,
  differences: readonly Mark[] = [],
): string {
  const { one } = drawn;
  const { response } = one.rollout;
  const isCode = isShownAsCode(segment, call);
  const at = segment.inner_start;
  const ofCase = marksWithin(drawn, segment.start, segment.end);
  const marks = isCode
    ? ofCase
    : [...ofCase, ...differences.map((mark) => ({ ...mark, start: mark.start + at, end: mark.end + at }))];
  const marked = (): string => markedHtml(response, at, segment.inner_end, marks);
  switch (segment.kind) {
    case 'reasoning':
    case 'text':
      return `<div class="prose">${marked()}</div>`;
    case 'answer':
      return `<p class="role">answer</p><pre class="answer">${marked()}</pre>`;
    case 'tool-call':
      return callHtml(one, marks, { segment, call }, isCode ? differences : []);
    case 'tool-response':
      return `<pre class="env${answers?.isError === true ? ' failed' : ''}">${marked()}</pre>`;
    default:
      return `<p class="role">${segment.kind.replaceAll('-', ' ')}</p><pre class="env">${marked()}</pre>`;
  }
}

/**
 * Shows the code of the call. If the JSON has marks, shows the JSON too.
 *
 * @param codeMarks marks on the code
 */
function callHtml(
  one: PackCase,
  marks: readonly Mark[],
  { segment, call }: Pick<CaseSegment, 'segment'> & { readonly call: CaseSegment['call'] | undefined },
  codeMarks: readonly Mark[],
): string {
  const { response } = one.rollout;
  // Nothing read it. What is wrong with it may be in the tags around it.
  if (call?.outcome === 'malformed')
    return `<p class="role">malformed call${call.name === null ? '' : ` of ${html(call.name)}`}, as written</p><pre class="env failed">${markedHtml(response, segment.start, segment.end, marks)}</pre>`;
  const isMarked = marks.some(({ start, end }) => start < segment.inner_end && end > segment.inner_start);
  const asWritten = markedHtml(response, segment.inner_start, segment.inner_end, marks);
  const head = `<p class="role">${html(call?.name ?? 'tool call')}</p>`;
  if (call?.code === undefined) return `${head}<pre>${asWritten}</pre>`;
  const written = isMarked
    ? `<details><summary>raw call with marks</summary><pre>${asWritten}</pre></details>`
    : '';
  return `${head}<pre>${markedHtml(call.code, 0, call.code.length, codeMarks)}</pre>${written}`;
}

/** @param turn undefined: annotations of the rollout, and annotations without a position */
export function notesHtml(drawn: Drawn, turn: number | undefined, of?: 'turn' | 'text'): string {
  const { one } = drawn;
  return one.annotations
    .filter((row) => turnOfAnnotation(one, row) === turn)
    .filter(({ target }) => of === undefined || (target.kind === 'turn') === (of === 'turn'))
    .map((row) => noteHtml(drawn, row))
    .join('');
}

function noteHtml({ taxonomy, id, numberOf }: Drawn, row: AnnotationRow): string {
  const { label, severity, note, correction, author, target } = row;
  const words = [...(severity === undefined ? [] : [severity]), targetText(row), author].map(html);
  const name = label === undefined ? '<b>Note</b>' : chip(taxonomy, label);
  const quote =
    target.kind === 'rollout' || target.kind === 'turn'
      ? ''
      : `<pre>${html(target.anchor.quote)}${target.anchor.quoteEnd === undefined ? '' : ` … ${html(target.anchor.quoteEnd)}`}</pre>`;
  const isShown = row.place?.state === 'exact' && target.kind === 'span';
  return `<aside class="note ${colourClass(taxonomy, label)}" id="${id}n${numberOf.get(row) ?? 0}"><p>${name} <small>${words.join(' · ')}</small></p>\
${isShown ? '' : quote}${note === undefined ? '' : `<div class="said">${noteText(note)}</div>`}${correction === undefined ? '' : `<small>should be</small><pre>${html(correction)}</pre>`}</aside>
`;
}
