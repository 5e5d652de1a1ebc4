/**
 * Changes to annotations. Each call is atomic and is one undo step. It is on disk when the call returns.
 */

import { randomUUID } from 'node:crypto';
import type { ParsedParams } from '../../shared/api/contract.ts';
import { refused } from '../../shared/api/errors.ts';
import type { Annotation, ReviewMark } from '../../shared/domain/annotate/annotation.ts';
import { annotationOf, isSameTarget, targetOf, withoutLabel } from '../../shared/domain/annotate/draft.ts';
import {
  canonical,
  idBeside,
  isSameAnnotation,
  reviewMarkText,
} from '../../shared/domain/annotate/identity.ts';
import type { Taxonomy } from '../../shared/domain/annotate/taxonomy.ts';
import { AnnotationHistory, type Change, type Step } from './annotationHistory.ts';
import { AnchorSearch } from './annotationPlaces.ts';
import type { AnnotationStore, Conflict } from './annotationStore.ts';
import { contentHash } from './contentHash.ts';
import type { WritableLibrary } from './open.ts';
import { RolloutTexts } from './rolloutTexts.ts';
import { readTaxonomy } from './taxonomies.ts';

type RequestedChange = ParsedParams<'annotation.apply'>['changes'][number];
type Decision = ParsedParams<'annotation.resolve'>;
type Draft = Extract<RequestedChange, { put: unknown }>['put'];

/** The result of a call: the ids that changed and the rollouts of this library they belong to. */
export interface Outcome {
  /** Description of the change. Absent when nothing changed. */
  readonly words?: string;
  readonly annotationIds: readonly string[];
  readonly removed: readonly string[];
  readonly readings: readonly ReviewMark[];
  readonly rolloutIds: readonly number[];
}

export class AnnotationChanges {
  readonly history: AnnotationHistory;
  private readonly db: WritableLibrary;
  private readonly store: AnnotationStore;

  constructor(db: WritableLibrary, store: AnnotationStore) {
    this.db = db;
    this.store = store;
    this.history = new AnnotationHistory(db);
  }

  /**
   * @param now milliseconds since 1970
   * @throws ApiError `refused`
   */
  apply(author: string, requested: readonly RequestedChange[], now: number): Outcome {
    return this.write(() => {
      const { taxonomy } = readTaxonomy(this.db);
      const call = new Call({ db: this.db, store: this.store, taxonomy, author, now });
      for (const each of requested) call.make(each);
      const { changes } = call;
      if (changes.length > 0)
        this.history.add({ words: describeChanges(changes, taxonomy), changes }, author, now);
      return this.outcome(
        changes,
        changes.length === 0 ? undefined : describeChanges(changes, taxonomy),
        call.unchanged,
      );
    });
  }

  /**
   * @param author undoes this author's latest step; absent: the latest step of any author
   * @throws ApiError `refused` when another author has changed the same annotations since
   */
  undo(author?: string): Outcome {
    return this.write(() => {
      const step = this.history.lastDone(author);
      return step === undefined ? NOTHING : this.restore(step, author === undefined ? 1 : 2);
    });
  }

  /** @throws ApiError `refused` as `undo` */
  redo(author?: string): Outcome {
    return this.write(() => {
      const step = this.history.firstUndone(author);
      if (step === undefined) return NOTHING;
      if (author !== undefined) this.assertUntouched(step, step.changes);
      return this.restore(step, 0);
    });
  }

  /**
   * @param author who decides; absent: the author of the conflicting version
   * @throws ApiError `refused`
   */
  resolve({ conflictId, take, author }: Decision, now: number): Outcome {
    return this.write(() => {
      const conflict = this.store.conflict(conflictId);
      if (conflict === undefined) throw refused(`there is no conflict ${conflictId}`);
      if (conflict.taken !== null) throw refused('this conflict is resolved already');
      const changes: Change[] = [
        { of: 'conflict', conflictId, before: conflict.taken, after: take },
        ...this.changesFor(conflict, take),
      ];
      const words = `decision for ${CHOICE_TEXTS[take]}`;
      this.set(changes);
      this.history.add({ words, changes }, author ?? conflict.theirs.author, now);
      return this.outcome(changes, words);
    });
  }

  private write(work: () => Outcome): Outcome {
    return this.db.transaction(work).immediate();
  }

  private changesFor(
    { annotationId, theirs }: Conflict,
    take: 'mine' | 'theirs' | 'both',
  ): readonly Change[] {
    if (take === 'mine') return [];
    const after = take === 'theirs' ? theirs : { ...theirs, id: idBeside(theirs, contentHash) };
    const id = take === 'theirs' ? annotationId : after.id;
    const before = this.store.get(id) ?? null;
    return before !== null && isSameAnnotation(before, after)
      ? []
      : [{ of: 'annotation', id, before, after }];
  }

  /** @param undone the step's new `undone` value; 0 redoes the step */
  private restore(step: Step, undone: 0 | 1 | 2): Outcome {
    const changes = undone === 0 ? step.changes : step.changes.map(reversed).reverse();
    if (undone === 2) this.assertUntouched(step, changes);
    this.set(changes);
    this.history.mark(step, undone);
    return this.outcome(changes, step.words);
  }

  /** Checks that the annotations are still in the state that the changes start from. */
  private assertUntouched({ words }: Step, changes: readonly Change[]): void {
    const seen = new Set<string>();
    for (const change of changes) {
      const about = aboutOf(change);
      if (seen.has(about)) continue;
      seen.add(about);
      if (canonical(this.present(change)) !== canonical(change.before))
        throw refused(`${words}: another reviewer has changed this annotation since; edit it instead`);
    }
  }

  private present(change: Change): Change['before'] {
    switch (change.of) {
      case 'annotation':
        return this.store.get(change.id) ?? null;
      case 'reading': {
        const about = change.before ?? change.after;
        return about === null ? null : (this.store.reading(about) ?? null);
      }
      case 'conflict':
        return this.store.conflict(change.conflictId)?.taken ?? null;
    }
  }

  private set(changes: readonly Change[]): void {
    for (const change of changes) setOne(this.store, change);
    this.store.places.revise();
  }

  private outcome(changes: readonly Change[], words?: string, unchanged: readonly string[] = []): Outcome {
    const put = new Set(unchanged);
    const removed = new Set<string>();
    const readings: ReviewMark[] = [];
    const numbers = new Set<number>();
    const about = (item: Annotation | ReviewMark | null): void => {
      const no = item === null ? undefined : this.store.numberOf(item.rollout);
      if (no !== undefined) numbers.add(no);
    };
    for (const change of changes) {
      if (change.of === 'conflict') continue;
      about(change.before);
      about(change.after);
      if (change.of === 'reading') {
        if (change.after !== null) readings.push(change.after);
      } else if (change.after === null) {
        put.delete(change.id);
        removed.add(change.id);
      } else {
        removed.delete(change.id);
        put.add(change.id);
      }
    }
    const search = new AnchorSearch(this.db);
    // A restored annotation may belong to a rollout that was ingested since its removal.
    if ([...numbers].some((no) => this.store.rolloutOf(no) === undefined)) this.store.places.placeAll();
    const rolloutIds = [...numbers].flatMap((no) => this.store.places.updatePositions(no, search));
    return {
      ...(words === undefined ? {} : { words }),
      annotationIds: [...put],
      removed: [...removed],
      readings,
      rolloutIds: [...new Set(rolloutIds)],
    };
  }
}

const NOTHING: Outcome = { annotationIds: [], removed: [], readings: [], rolloutIds: [] };
const CHOICE_TEXTS = { mine: 'ours', theirs: 'theirs', both: 'both versions' } as const;

function setOne(store: AnnotationStore, change: Change, rolloutId?: number): void {
  switch (change.of) {
    case 'annotation':
      if (change.after === null) store.remove(change.id);
      else store.set(change.after, rolloutId);
      break;
    case 'reading':
      if (change.after !== null) store.setReading(change.after, rolloutId);
      else if (change.before !== null) store.removeReading(change.before);
      break;
    case 'conflict':
      store.setTaken(change.conflictId, change.after);
      break;
  }
}

function reversed(change: Change): Change {
  return { ...change, before: change.after, after: change.before } as Change;
}

function aboutOf(change: Change): string {
  switch (change.of) {
    case 'annotation':
      return `annotation ${change.id}`;
    case 'conflict':
      return `conflict ${change.conflictId}`;
    case 'reading': {
      const about = change.before ?? change.after;
      return about === null ? 'reading' : `reading ${reviewMarkText(about)}`;
    }
  }
}

interface CallServices {
  readonly db: WritableLibrary;
  readonly store: AnnotationStore;
  readonly taxonomy: Taxonomy;
  readonly author: string;
  readonly now: number;
}

/** The changes of one call. Each sees the result of those before it. */
class Call {
  readonly changes: Change[] = [];
  /** Ids of annotations that already are as requested. */
  readonly unchanged: string[] = [];
  private readonly services: CallServices;
  private readonly texts: RolloutTexts;

  constructor(services: CallServices) {
    this.services = services;
    this.texts = new RolloutTexts(services.db);
  }

  make(requested: RequestedChange): void {
    if ('put' in requested) this.put(requested.put);
    else if ('remove' in requested) this.change(requested.remove, null);
    else this.read(requested.read, requested.verdict);
  }

  private put(draft: Draft): void {
    const { store, author, now } = this.services;
    const id = draft.id ?? randomUUID();
    const before = store.get(id);
    const rollout = draft.rolloutId === undefined ? before?.rollout : this.keyOf(draft.rolloutId);
    const target = this.targetOf(draft) ?? before?.target;
    if (rollout === undefined || target === undefined)
      throw refused(`there is no annotation ${id}; a new one needs a rollout and a target`);
    this.assertLabel(draft.label, before);
    // An edit makes its author the annotation's author. The history keeps the earlier author.
    const base = { id, rollout, target, author, createdAt: before?.createdAt ?? now };
    const flag = draft.flag === undefined ? before?.flag : (draft.flag ?? undefined);
    const after = annotationOf({ ...base, updatedAt: now }, { ...draft, flag });
    if (after.label === undefined && after.note === undefined && after.correction === undefined)
      throw refused('an annotation needs a label, a note or a correction');
    const present = before ?? this.equalTo(after, draft);
    const isSame =
      present !== undefined &&
      (before === undefined ||
        isSameAnnotation({ ...after, author: before.author, updatedAt: before.updatedAt }, before));
    if (isSame) {
      this.unchanged.push(present.id);
      return;
    }
    this.replaceLabels(after);
    this.change(id, after, draft.rolloutId);
  }

  /** Finds an equal annotation by the same author, made in another window or a moment ago. */
  private equalTo(after: Annotation, { id, rolloutId }: Draft): Annotation | undefined {
    if (id !== undefined || rolloutId === undefined) return undefined;
    return this.services.store
      .ofContent(rolloutId, after)
      .find((each) => isSameTarget(each.target, after.target));
  }

  /** Removes the previous label where the taxonomy allows only one label there. A note on it is kept. */
  private replaceLabels(after: Annotation): void {
    const { store, taxonomy, now } = this.services;
    if (taxonomy.choice !== 'one' || after.label === undefined) return;
    for (const other of store.beside(after.rollout)) {
      const isReplaced =
        other.id !== after.id &&
        other.author === after.author &&
        other.label !== undefined &&
        isSameTarget(other.target, after.target);
      if (!isReplaced) continue;
      const left = withoutLabel(other);
      this.change(other.id, left === undefined ? null : { ...left, updatedAt: now });
    }
  }

  private read(rolloutId: number, verdict: ReviewMark['verdict'] | null): void {
    const { store, author, now } = this.services;
    const rollout = this.keyOf(rolloutId);
    const known = store.readingsOf(rolloutId, author);
    const [only] = known;
    if (known.length === 1 && only !== undefined && only.verdict === verdict) return;
    for (const before of known) this.add({ of: 'reading', before, after: null });
    if (verdict === null) return;
    const before = store.reading({ rollout, author }) ?? null;
    this.add({ of: 'reading', before, after: { rollout, author, verdict, at: now } }, rolloutId);
  }

  private change(id: string, after: Annotation | null, rolloutId?: number): void {
    const before = this.services.store.get(id) ?? null;
    if (before === null && after === null) return;
    this.add({ of: 'annotation', id, before, after }, rolloutId);
  }

  private add(change: Change, rolloutId?: number): void {
    setOne(this.services.store, change, rolloutId);
    this.services.store.places.revise();
    this.changes.push(change);
  }

  private keyOf(rolloutId: number) {
    const key = this.texts.keyOf(rolloutId);
    if (key === undefined) throw refused(`the library has no rollout ${rolloutId}`);
    return key;
  }

  private targetOf({ rolloutId, target }: Draft) {
    if (rolloutId === undefined || target === undefined) return undefined;
    const texts = this.texts.texts(rolloutId);
    const made =
      texts === undefined ? `the library has no rollout ${rolloutId}` : targetOf(texts, target, contentHash);
    if (typeof made === 'string') throw refused(made);
    return made;
  }

  private assertLabel(label: string | undefined, before: Annotation | undefined): void {
    const { labels } = this.services.taxonomy;
    if (label === undefined || label === before?.label || labels.some(({ id }) => id === label)) return;
    const known = labels.map(({ id }) => id).join(', ');
    throw refused(`there is no label ${label}; known labels: ${known === '' ? '(empty)' : known}`);
  }
}

/** Describes the changes for the undo command. */
function describeChanges(changes: readonly Change[], taxonomy: Taxonomy): string {
  const edits = changes.filter((change) => change.of === 'annotation');
  const [first] = edits;
  if (first === undefined) {
    const reading = changes.find((change) => change.of === 'reading' && change.after !== null);
    const verdict = reading?.of === 'reading' ? reading.after?.verdict : undefined;
    const what = verdict ?? 'unread';
    return changes.length === 1 ? what : `${what}, ${changes.length} changes`;
  }
  const named = edits.find(({ after }) => after !== null) ?? first;
  const isOne = edits.length === 1 || edits.filter(({ after }) => after !== null).length === 1;
  if (!isOne) return `${edits.length} annotations`;
  const about = named.after ?? named.before;
  const label = taxonomy.labels.find(({ id }) => id === about?.label)?.name ?? about?.label;
  const isOfNote =
    named.before !== null &&
    named.before.label === named.after?.label &&
    named.before.note !== named.after?.note;
  const what =
    label === undefined
      ? about?.note === undefined
        ? 'correction'
        : 'note'
      : `${isOfNote ? 'note on ' : ''}label ${label}`;
  return named.after === null ? `removal of ${what}` : what;
}
