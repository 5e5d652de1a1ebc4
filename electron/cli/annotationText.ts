/** Helpers of the annotation commands. */
import type { AnnotationRow, ResultOf } from '../../shared/api/contract.ts';
import type { Annotation } from '../../shared/domain/annotate/annotation.ts';
import { terminalJson, terminalLine } from '../../shared/domain/terminalText.ts';
import { PACK_VERSION } from '../../shared/format/pack.ts';
import { UsageError } from './command.ts';

/** The given author, else the login name. */
export function authorOf(given: string | undefined): string {
  return [given, process.env['USER'], 'me'].find((name) => name !== undefined && name.trim() !== '') ?? 'me';
}

/** Finds a label by id or name. @throws UsageError that lists the labels */
export function labelNamed({ labels }: ResultOf<'taxonomy.get'>['taxonomy'], text: string): string {
  const wanted = text.trim().toLowerCase();
  const found = labels.find(({ id, name }) => id === wanted || name.toLowerCase() === wanted);
  if (found !== undefined) return found.id;
  throw new UsageError(`there is no label ${text}; known labels: ${labels.map(({ id }) => id).join(', ')}`);
}

/** An annotation as in a pack, plus its current position. The printed line can be imported. */
export function annotationLine({ annotationNo: _, conflicts, place, ...rest }: AnnotationRow): string {
  const annotation: Annotation = rest;
  return terminalJson({
    pack: PACK_VERSION,
    type: 'annotation',
    annotation,
    ...(place === undefined ? {} : { place }),
    ...(conflicts === 0 ? {} : { conflicts }),
  });
}

/** One line for people: position, content and author. */
export function annotationText({
  rollout,
  target,
  label,
  severity,
  note,
  author,
  place,
}: AnnotationRow): string {
  const where = `${rollout.run} step ${rollout.step} ${rollout.group} #${rollout.ordinal}`;
  const what =
    target.kind === 'rollout' ? '' : ` ${target.kind} ${JSON.stringify(short(target.anchor.quote))}`;
  const state = place === undefined ? 'unattached' : place.state;
  const parts = [label, severity, note === undefined ? undefined : JSON.stringify(short(note))];
  const id = place === undefined ? '' : ` (rollout ${place.rolloutId})`;
  const words = parts.filter((each) => each !== undefined).join(' ');
  return terminalLine(`${where}${id}${what}: ${words} — ${author}${state === 'exact' ? '' : `, ${state}`}`);
}

const SHOWN = 60;

function short(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length > SHOWN ? `${flat.slice(0, SHOWN)}…` : flat;
}
