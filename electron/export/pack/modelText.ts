/** Writes one rollout as text for a language model, limited to the requested sections. */
import type { PackSection, ResultOf } from '../../../shared/api/contract.ts';
import type { ReadableLibrary } from '../../storage/open.ts';
import { readTaxonomy } from '../../storage/taxonomies.ts';
import { readCase } from './caseReader.ts';
import { fenced } from './fences.ts';
import {
  addressText,
  type CaseSegment,
  innerText,
  labelName,
  outcomeText,
  type PackCase,
  problemParts,
  type Taxonomy,
  targetText,
  turnsOf,
} from './packCase.ts';
import { type Redaction, Redactor } from './redact.ts';
import { visibleLine } from './visible.ts';

export interface PackTextRequest extends Redaction {
  readonly rolloutId: number;
  readonly sections: readonly PackSection[];
}

/**
 * @returns undefined when there is no such rollout
 * @throws ApiError `refused` when a pattern is invalid or takes too long
 */
export async function packText(
  db: ReadableLibrary,
  { rolloutId, sections, ...redaction }: PackTextRequest,
): Promise<ResultOf<'pack.text'> | undefined> {
  const redactor = new Redactor(redaction);
  const read = await readCase(db, rolloutId);
  if (read === undefined) return undefined;
  const one = redactor.case(read, addressText(read));
  const taxonomy = redactor.taxonomy(readTaxonomy(db).taxonomy);
  return { text: modelText(one, new Set(sections), taxonomy), redactions: redactor.total };
}

function modelText(one: PackCase, sections: ReadonlySet<PackSection>, taxonomy: Taxonomy): string {
  const parts = [
    sections.has('problem') ? problemText(one) : '',
    sections.has('outcome')
      ? `## Outcome\n\n${one.isSibling ? 'sibling; ' : ''}${visibleLine(outcomeText(one).join('; '))}\n`
      : '',
    sections.has('annotations') ? annotationsText(one, taxonomy) : '',
    transcript(one, sections),
    sections.has('answer') ? answerText(one) : '',
  ];
  const body = parts.filter((part) => part !== '').join('\n');
  return `# ${visibleLine(addressText(one))}\n\n${body}`;
}

function problemText(one: PackCase): string {
  const parts = problemParts(one).map(({ role, text }) => `${role}:\n${fenced(text)}`);
  return `## Problem\n\n${parts.join('\n')}`;
}

function annotationsText(one: PackCase, taxonomy: Taxonomy): string {
  if (one.annotations.length === 0) return '';
  const annotations = one.annotations.map((row) => {
    const head = [
      row.label === undefined ? 'note' : labelName(taxonomy, row.label),
      ...(row.severity === undefined ? [] : [row.severity]),
      `on the ${targetText(row)}`,
      `by ${row.author}`,
    ];
    const quote = row.target.kind === 'rollout' ? '' : `  stands on:\n${fenced(row.target.anchor.quote)}`;
    const note = row.note === undefined ? '' : `  note:\n${fenced(row.note)}`;
    const correction = row.correction === undefined ? '' : `  should be:\n${fenced(row.correction)}`;
    return `- ${visibleLine(head.join(', '))}\n${quote}${note}${correction}`;
  });
  return `## Labels and notes\n\n${annotations.join('')}`;
}

/** Marks omitted parts where they were, so that a turn with omitted code differs from one without code. */
function transcript(one: PackCase, sections: ReadonlySet<PackSection>): string {
  const wanted = (['reasoning', 'code', 'output'] as const).filter((section) => sections.has(section));
  if (wanted.length === 0) return '';
  const turns = turnsOf(one).map(({ turn, segments, redacted }) => {
    const left = new Map<string, number>();
    const shown = segments.flatMap((each) => {
      const section = sectionOf(each);
      const text = innerText(one.rollout.response, each.segment);
      if (section === 'answer' || text.trim() === '') return [];
      if (!sections.has(section)) {
        left.set(section, (left.get(section) ?? 0) + text.length);
        return [];
      }
      return [
        `${headOf(each)}\n${fenced(each.call?.code ?? text, each.call?.code === undefined ? '' : 'python')}`,
      ];
    });
    const without = [...left].map(
      ([section, chars]) => `(${section}, ${chars.toLocaleString('en')} characters, left out)\n`,
    );
    const note = redacted === '' ? [] : [`(${redacted})\n`];
    return `### Turn ${turn}\n\n${[...note, ...shown, ...without].join('\n')}`;
  });
  return `## Transcript\n\n${turns.join('\n')}`;
}

function sectionOf({ segment }: CaseSegment): PackSection {
  switch (segment.kind) {
    case 'tool-call':
      return 'code';
    case 'tool-response':
    case 'user':
    case 'system':
      return 'output';
    case 'answer':
      return 'answer';
    default:
      return 'reasoning';
  }
}

function headOf({ segment, call, answers }: CaseSegment): string {
  if (call !== undefined) return `call of ${visibleLine(call.name ?? 'a tool without a name')}:`;
  if (answers !== undefined) return `response (${answers.outcome}):`;
  return `${segment.kind}:`;
}

function answerText(one: PackCase): string {
  const answers = one.rollout.segments.filter(({ kind }) => kind === 'answer');
  if (answers.length === 0) return '## Answer\n\nNo answer tag.\n';
  const texts = answers.map((segment) => fenced(innerText(one.rollout.response, segment)));
  return `## Answer\n\n${texts.join('\n')}`;
}
