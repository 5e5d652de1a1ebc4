/** Annotations and automatic flags of one rollout, in the form its replay shows. */

import {
  type AnnotationRow,
  LABEL_OF_FLAG,
  type Label,
  type RolloutDetail,
  type RolloutFlag,
  type Taxonomy,
} from '../../../../shared/api/contract.ts';
import type { PlainTarget } from '../../../../shared/domain/annotate/draft.ts';
import { type AnnotationChange, labelOf } from '../../../data/annotations.ts';
import { plainLogText } from '../../../ui/LogText.tsx';
import { count } from '../../../ui/numbers.ts';
import type { Hit } from '../text/findModel.ts';
import { segmentAt } from '../text/replayModel.ts';
import type { LabelRange } from '../text/textMarks.ts';

/** Key of a draft note. Uses the position in the library, since rollout ids change when a log is imported again. */
export function draftKeyOf(library: string, { run, row }: RolloutDetail): string {
  return JSON.stringify([library, run.runKey, row.step, row.groupKey, row.ordinal]);
}

/** Hides other readers' annotations from a blind reviewer. */
export function annotationsShown(
  annotations: readonly AnnotationRow[],
  { isBlind, reader }: { readonly isBlind: boolean; readonly reader: string },
): readonly AnnotationRow[] {
  return isBlind ? annotations.filter(({ author }) => author === reader) : annotations;
}

/**
 * Annotated spans of the texts, in order. Spans of one colour that touch are one range, because they are painted alike
 * and a text may have thousands of them.
 */
export function labelRanges(
  annotations: readonly AnnotationRow[],
  taxonomy: Taxonomy | undefined,
): readonly LabelRange[] {
  const ranges: LabelRange[] = [];
  const lastOf = new Map<string, number>();
  for (const one of annotations
    .flatMap((each) => rangeOf(each, taxonomy))
    .sort((a, b) => a.start - b.start)) {
    const key = `${one.source} ${one.colour}`;
    const at = lastOf.get(key) ?? -1;
    const last = ranges[at];
    if (last !== undefined && one.start <= last.end)
      ranges[at] = { ...last, end: Math.max(last.end, one.end) };
    else lastOf.set(key, ranges.push(one) - 1);
  }
  return ranges;
}

function rangeOf(
  { target, place, label }: AnnotationRow,
  taxonomy: Taxonomy | undefined,
): readonly LabelRange[] {
  if (target.kind !== 'span' || place?.start === undefined || place.end === undefined) return [];
  const colour = label === undefined ? 'grey' : labelOf(taxonomy, label).colour;
  return [{ source: target.anchor.text, start: place.start, end: place.end, colour }];
}

/** Position of an annotation in the transcript. Undefined if it is about the whole rollout or its text is gone. */
export function placeOf(annotation: AnnotationRow, { segments }: RolloutDetail): Hit | undefined {
  const { target, place } = annotation;
  if (target.kind === 'rollout' || place?.start === undefined || place.end === undefined) return undefined;
  const source = target.anchor.text;
  const own = segments.map((segment, index) => ({ segment, index }));
  const prompt = own.filter(({ segment }) => segment.turn === 0);
  const index =
    source === 'prompt'
      ? prompt.find(({ segment }) => segment.outer.end > (place.start ?? 0))?.index
      : segmentAt(segments, place.start);
  const turn = index === undefined ? undefined : segments[index]?.turn;
  if (index === undefined || turn === undefined) return undefined;
  return { source, segment: index, turn, start: place.start, end: place.end };
}

export interface LabelMark {
  /** 0 … 1 of the response. */
  readonly at: number;
  readonly colour: Label['colour'];
  readonly title: string;
}

/** Positions on the scrubber: about one per pixel. */
const SCRUBBER_POSITIONS = 1000;
const MOST_TITLES = 5;

/**
 * Marks for the scrubber, in order; annotations at one position share a mark. Annotations of the whole rollout and of
 * the prompt have no position in it.
 */
export function scrubberMarks(
  annotations: readonly AnnotationRow[],
  taxonomy: Taxonomy | undefined,
  length: number,
): readonly LabelMark[] {
  if (length === 0) return [];
  const byPosition = new Map<number, { at: number; colour: Label['colour']; titles: string[] }>();
  for (const { target, place, label: id, note } of annotations) {
    if (target.kind === 'rollout' || target.anchor.text !== 'response' || place?.start === undefined)
      continue;
    const label = id === undefined ? undefined : labelOf(taxonomy, id);
    const title = [label?.name ?? '', firstLine(note)].filter(Boolean).join(': ');
    const at = place.start / length;
    const position = Math.round(at * SCRUBBER_POSITIONS);
    const mark = byPosition.get(position);
    if (mark === undefined)
      byPosition.set(position, { at, colour: label?.colour ?? 'grey', titles: [title] });
    else mark.titles.push(title);
  }
  return [...byPosition.values()]
    .map(({ at, colour, titles }) => ({ at, colour, title: firstOf(titles, MOST_TITLES, '\n') }))
    .sort((a, b) => a.at - b.at);
}

/** The first names of a list for a tooltip, and how many follow. Hidden characters are drawn. */
export function firstOf(names: readonly string[], most: number, separator: string): string {
  const shown = names.slice(0, most).map((name) => plainLogText(name));
  if (names.length > most) shown.push(`${count(names.length - most)} more`);
  return shown.join(separator);
}

export const firstLine = (text: string | undefined): string => text?.trim().split('\n', 1)[0] ?? '';

/** The target of an annotation, in two or three words. */
export function targetLabel(target: AnnotationRow['target'] | PlainTarget): string {
  switch (target.kind) {
    case 'rollout':
      return 'whole rollout';
    case 'turn':
      return target.turn === 0 ? 'prompt' : `turn ${target.turn}`;
    case 'segment':
      return `segment ${target.segment + 1}`;
    case 'span':
      return 'text' in target && target.text === 'prompt' ? 'selected text of the prompt' : 'selected text';
  }
}

/** Whether an annotation has the target that the next key applies to. */
export function isAbout(annotation: AnnotationRow, target: PlainTarget): boolean {
  const { target: own, place } = annotation;
  switch (target.kind) {
    case 'rollout':
      return own.kind === 'rollout';
    case 'turn':
      return own.kind === 'turn' && own.turn === target.turn;
    case 'segment':
      return own.kind === 'segment' && own.segment === target.segment;
    case 'span':
      return (
        own.kind === 'span' &&
        own.anchor.text === target.text &&
        place?.start === target.start &&
        place.end === target.end
      );
  }
}

/**
 * A reader's label of a target that has no note yet: a note of the same reader on the same target belongs to it.
 *
 * @param label undefined: whichever label the reader's newest annotation of the target has
 */
export function labelWithoutNote(
  annotations: readonly AnnotationRow[],
  {
    label,
    target,
    reader,
  }: { readonly label?: string | undefined; readonly target: PlainTarget; readonly reader: string },
): AnnotationRow | undefined {
  const own = annotations.filter((one) => one.author === reader && isAbout(one, target));
  const newest = own.reduce<AnnotationRow | undefined>(
    (last, one) => (last === undefined || one.updatedAt > last.updatedAt ? one : last),
    undefined,
  );
  const found = label === undefined ? newest : own.find((one) => one.label === label && isBare(one));
  return found !== undefined && isBare(found) ? found : undefined;
}

const isBare = ({ label, note, correction }: AnnotationRow): boolean =>
  label !== undefined && note === undefined && correction === undefined;

interface Labelled {
  readonly rolloutId: number;
  readonly annotations: readonly AnnotationRow[];
}

/** Adds a reader's label to the rollouts that lack it. If none lacks it, removes it from all. */
export function toggledLabel(
  rollouts: readonly Labelled[],
  {
    label,
    target,
    reader,
  }: { readonly label: string; readonly target: PlainTarget; readonly reader: string },
): readonly AnnotationChange[] {
  const given = rollouts.map(({ rolloutId, annotations }) => ({
    rolloutId,
    same: annotations.find((one) => one.label === label && one.author === reader && isAbout(one, target)),
  }));
  const lacking = given.filter(({ same }) => same === undefined);
  if (lacking.length > 0) return lacking.map(({ rolloutId }) => ({ put: { rolloutId, target, label } }));
  return given.flatMap(({ same }) => (same === undefined ? [] : [{ remove: same.id }]));
}

/** Labels that a reader has given to every one of several rollouts, anywhere in them. */
export function labelsOfAll(
  rollouts: readonly (readonly AnnotationRow[])[],
  reader: string,
): ReadonlySet<string> {
  const [first = new Set<string>(), ...rest] = rollouts.map(
    (annotations) =>
      new Set(annotations.flatMap(({ author, label }) => (author === reader ? (label ?? []) : []))),
  );
  return new Set([...first].filter((label) => rest.every((own) => own.has(label))));
}

/** Flags that suggest a label and have not been confirmed. */
export function openFlags(
  { flags }: RolloutDetail,
  annotations: readonly AnnotationRow[],
): readonly RolloutFlag[] {
  return flags.filter(
    ({ flag }) => LABEL_OF_FLAG[flag] !== undefined && annotations.every((one) => one.flag !== flag),
  );
}

/** Evidence counts segments of the response only. The transcript counts the prompt's segments too. */
export function flagPlace(
  { segment, start, end }: RolloutFlag['evidence'][number],
  { segments }: RolloutDetail,
): Hit | undefined {
  const index = segments.findIndex(({ turn }) => turn > 0) + segment;
  const found = segments[index];
  return found === undefined
    ? undefined
    : { source: 'response', segment: index, turn: found.turn, start, end };
}
