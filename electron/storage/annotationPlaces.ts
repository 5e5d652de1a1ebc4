/**
 * Finds the rollout of this library that an annotation belongs to, and the position of its text in that
 * rollout. The result is derived data. It is recomputed when rollouts are added or removed:
 *
 *   address matches, and the record hash or the content hash agrees ─► certain
 *   else same content among the problem's rollouts of that step, or same record hash anywhere ─► certain
 *   else address alone, with the same problem or a quote that occurs in the text ─► uncertain: the text has changed
 *   else the annotation is unattached, and is listed with its quote
 */
import { locateAnchor, type Placed } from '../../shared/domain/annotate/anchor.ts';
import type { Anchor, AnchorState, AnnotationTarget } from '../../shared/domain/annotate/annotation.ts';
import { KEY_COLUMNS, KEY_ROW, targetFrom } from './annotationRecords.ts';
import { contentHash } from './contentHash.ts';
import type { WritableLibrary } from './open.ts';
import { RolloutTexts } from './rolloutTexts.ts';
import { boolean, number, query, queryValue, type RowOf, text } from './rows.ts';

/**
 * Keys without a certain rollout. This runs before everything else, so it must be cheap when there are
 * none.
 */
const UNCERTAIN = `k.annotated_no NOT IN (SELECT annotated_no FROM annotated_place_row WHERE is_certain = 1)
  AND (EXISTS (SELECT 1 FROM annotation_row a WHERE a.annotated_no = k.annotated_no)
    OR EXISTS (SELECT 1 FROM reading_row d WHERE d.annotated_no = k.annotated_no))`;
/** CROSS JOIN fixes the join order against the planner: there are few annotations and many rollouts. */
const AT_ADDRESS = `FROM annotated_row k CROSS JOIN run_row n ON n.run_key = k.run_key
  CROSS JOIN group_row g ON g.run_id = n.run_id AND g.step = k.step AND g.group_key = k.group_key
  CROSS JOIN rollout_row r ON r.group_id = g.group_id AND r.ordinal = k.ordinal`;
/** Places all keys at once, by index. Most keys are found this way. */
export const PLACE_BY_ADDRESS = `INSERT OR REPLACE INTO annotated_place_row (annotated_no, rollout_id, is_certain)
  SELECT k.annotated_no, r.rollout_id, 1 ${AT_ADDRESS} WHERE r.content_hash = k.record_hash AND ${UNCERTAIN}
  RETURNING annotated_no`;
const LEFT = `SELECT k.annotated_no, ${KEY_COLUMNS} FROM annotated_row k WHERE ${UNCERTAIN}`;
const ADDRESS = `SELECT r.rollout_id AS rolloutId, p.problem_id AS problemId ${AT_ADDRESS} JOIN problem_row p ON p.problem_no = g.problem_no
  WHERE k.annotated_no = ?`;
export const SIBLINGS = `SELECT r.rollout_id FROM run_row n JOIN group_row g ON g.run_id = n.run_id AND g.step = :step
  JOIN problem_row p ON p.problem_no = g.problem_no JOIN rollout_row r ON r.group_id = g.group_id
  WHERE n.run_key = :run AND p.problem_id = :problem AND r.rollout_id > :from ORDER BY r.rollout_id`;
export const BY_RECORD = `SELECT r.rollout_id AS rolloutId, r.content_hash AS contentHash, r.step, r.ordinal FROM rollout_row r
  WHERE r.rollout_id > ? AND r.content_hash IN (SELECT value FROM json_each(?)) ORDER BY r.rollout_id`;

const LEFT_ROW = { annotated_no: number, ...KEY_ROW };
type KeyRow = RowOf<typeof LEFT_ROW>;

export class AnnotationPlaces {
  private readonly db: WritableLibrary;
  private readonly sql;

  constructor(db: WritableLibrary) {
    this.db = db;
    this.sql = {
      anyKey: queryValue(db, 'SELECT 1 FROM annotated_row LIMIT 1', number),
      newest: queryValue(db, 'SELECT coalesce(max(rollout_id), 0) FROM rollout_row', number),
      searchedTo: queryValue(db, 'SELECT searched_to FROM annotation_state_row', number),
      setSearchedTo: db.prepare<[number]>('UPDATE annotation_state_row SET searched_to = ?'),
      revise: db.prepare('UPDATE annotation_state_row SET revision = revision + 1'),
      address: query(db, ADDRESS, { rolloutId: number, problemId: text }),
      siblings: queryValue(db, SIBLINGS, number),
      place: db.prepare<[number, number, number]>(
        'INSERT OR REPLACE INTO annotated_place_row VALUES (?, ?, ?)',
      ),
      placeOf: query(
        db,
        'SELECT rollout_id AS rolloutId, is_certain AS isCertain FROM annotated_place_row WHERE annotated_no = ?',
        { rolloutId: number, isCertain: boolean },
      ),
      annotationsOf: query(
        db,
        'SELECT annotation_no AS annotationNo, target FROM annotation_row WHERE annotated_no = ?',
        { annotationNo: number, target: text },
      ),
      setPosition: db.prepare<[number, string, number | null, number | null]>(
        'INSERT OR REPLACE INTO annotation_place_row VALUES (?, ?, ?, ?)',
      ),
    };
  }

  /**
   * Makes the next `placeAll` search all rollouts. Must run inside a transaction that has removed rollouts
   * or added annotations.
   */
  forgetSearch(): void {
    this.sql.setSearchedTo.run(0);
  }

  /** Bumps the revision that caches of annotation data are keyed by. */
  revise(): void {
    this.sql.revise.run();
  }

  /**
   * Searches the rollouts added since the last search for keys without a certain place. Must run inside a
   * transaction.
   *
   * @returns rollouts whose annotations changed
   */
  placeAll(): readonly number[] {
    if (this.sql.anyKey.get() === undefined) return [];
    const newest = this.sql.newest.get() ?? 0;
    const from = this.sql.searchedTo.get() ?? 0;
    if (newest === from) return [];
    const search = new AnchorSearch(this.db);
    const placed = new Set(queryValue(this.db, PLACE_BY_ADDRESS, number).all());
    const left = query(this.db, LEFT, LEFT_ROW).all();
    if (left.length > 0) for (const no of this.placeEach(left, search, from)) placed.add(no);
    this.sql.setSearchedTo.run(newest);
    if (placed.size === 0) return [];
    this.revise();
    return byRollout([...placed], (no) => this.rolloutOf(no)).flatMap((no) =>
      this.updatePositions(no, search),
    );
  }

  /** Records the rollout that an annotation was made on. Must run inside a transaction. */
  placeAt(annotatedNo: number, rolloutId: number): void {
    this.sql.place.run(annotatedNo, rolloutId, 1);
  }

  rolloutOf(annotatedNo: number): number | undefined {
    return this.sql.placeOf.get(annotatedNo)?.rolloutId;
  }

  /** Recomputes the text positions of a run's annotations, because the displayed prompts may have changed. */
  recomputePositions(runId: number): void {
    const keys = queryValue(
      this.db,
      `SELECT p.annotated_no FROM annotated_place_row p JOIN rollout_row r USING (rollout_id) WHERE r.run_id = ?`,
      number,
    ).all(runId);
    if (keys.length === 0) return;
    const search = new AnchorSearch(this.db);
    for (const no of byRollout(keys, (no) => this.rolloutOf(no))) this.updatePositions(no, search);
    this.revise();
  }

  /**
   * Computes the text position of each annotation of a rollout. @returns the rollout, if it is in the
   * library
   */
  updatePositions(annotatedNo: number, search = new AnchorSearch(this.db)): readonly number[] {
    const place = this.sql.placeOf.get(annotatedNo);
    if (place === undefined) return [];
    for (const { annotationNo: no, target } of this.sql.annotationsOf.all(annotatedNo)) {
      const parsed = targetFrom(target);
      if (parsed === undefined) continue;
      const { state, start, end } = positionOf(parsed, place, search);
      this.sql.setPosition.run(no, state, start, end);
    }
    return [place.rolloutId];
  }

  private placeEach(left: readonly KeyRow[], search: AnchorSearch, from: number): readonly number[] {
    const placed: number[] = [];
    const place = (key: KeyRow, rolloutId: number, isCertain: boolean): void => {
      const known = this.sql.placeOf.get(key.annotated_no);
      if (known?.rolloutId === rolloutId && known.isCertain === isCertain) return;
      this.sql.place.run(key.annotated_no, rolloutId, Number(isCertain));
      placed.push(key.annotated_no);
    };
    const contents = new ContentLookup(search.texts, (step) => this.sql.siblings.all({ ...step, from }));
    const rest = left.filter((key) => {
      const at = this.sql.address.get(key.annotated_no)?.rolloutId;
      // Rollouts up to `from` were searched earlier.
      const isAt = at !== undefined && at > from && contents.hashOf(at) === key.content_hash;
      const found = isAt ? at : contents.find(key);
      if (found !== undefined) place(key, found, true);
      return found === undefined;
    });
    const byRecord = this.byRecord(rest, from);
    for (const key of byRollout(rest, (key) => this.sql.address.get(key.annotated_no)?.rolloutId)) {
      const found = byRecord.get(key.annotated_no);
      const at = found === undefined ? this.sql.address.get(key.annotated_no) : undefined;
      if (found !== undefined) place(key, found, true);
      else if (at !== undefined && at.rolloutId > from && this.isLikely(key, at, search))
        place(key, at.rolloutId, false);
    }
    return placed;
  }

  /** Prefers the record at the same step and index among several equal ones, else takes the first. */
  private byRecord(keys: readonly KeyRow[], from: number): ReadonlyMap<number, number> {
    const hashes = [...new Set(keys.map((key) => key.record_hash))].filter((hash) => hash !== '');
    if (hashes.length === 0) return new Map();
    const spec = { rolloutId: number, contentHash: text, step: number, ordinal: number };
    const rows = query(this.db, BY_RECORD, spec).all(from, JSON.stringify(hashes));
    const found = new Map<string, typeof rows>();
    for (const row of rows) found.set(row.contentHash, [...(found.get(row.contentHash) ?? []), row]);
    return new Map(
      keys.flatMap((key) => {
        const same = found.get(key.record_hash) ?? [];
        const best =
          same.find(({ step, ordinal }) => step === key.step && ordinal === key.ordinal) ?? same[0];
        return best === undefined ? [] : [[key.annotated_no, best.rolloutId] as const];
      }),
    );
  }

  private isLikely(
    key: KeyRow,
    at: { readonly rolloutId: number; readonly problemId: string },
    search: AnchorSearch,
  ): boolean {
    if (at.problemId === key.problem_id) return true;
    return this.sql.annotationsOf.all(key.annotated_no).some(({ target }) => {
      const parsed = targetFrom(target);
      if (
        parsed === undefined ||
        parsed.kind === 'rollout' ||
        parsed.anchor.quote.length < DISTINCTIVE_LENGTH
      )
        return false;
      return search.locate(parsed.anchor, at.rolloutId).state !== 'orphaned';
    });
  }
}

/** UTF-16 units that are searched for the anchors of one call: a pack may have thousands for a long text. */
const MOST_SEARCHED = 64 << 20;
/** UTF-16 units of long ranges that are hashed to see whether they are the same. */
const MOST_HASHED = 1 << 30;

/** Locates anchors in the texts of rollouts, until much has been searched. Then it only finds those at their own places. */
export class AnchorSearch {
  readonly texts: RolloutTexts;
  private left = MOST_SEARCHED;
  private leftToHash = MOST_HASHED;

  constructor(db: WritableLibrary) {
    this.texts = new RolloutTexts(db);
  }

  locate(anchor: Anchor, rolloutId: number): Placed {
    const text = this.texts.textOf(rolloutId, anchor.text);
    if (anchor.hash !== undefined && anchor.end <= text.length) this.leftToHash -= anchor.end - anchor.start;
    if (this.leftToHash < 0 && anchor.hash !== undefined) return { state: 'orphaned' };
    const placed = locateAnchor(anchor, text, contentHash, this.left > 0);
    if (placed.state !== 'exact') this.left -= text.length;
    return placed;
  }
}

/** In the order of their rollouts, because the last text that was searched is kept. */
function byRollout<T>(all: readonly T[], rolloutOf: (one: T) => number | undefined): readonly T[] {
  const places = new Map(all.map((one) => [one, rolloutOf(one) ?? 0]));
  return [...all].sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
}

/** UTF-16 units. A quote of this length does not occur in another text by chance. */
const DISTINCTIVE_LENGTH = 24;

function positionOf(
  target: AnnotationTarget,
  place: { readonly rolloutId: number; readonly isCertain: boolean },
  search: AnchorSearch,
): { readonly state: AnchorState; readonly start: number | null; readonly end: number | null } {
  if (target.kind === 'rollout')
    return { state: place.isCertain ? 'exact' : 'moved', start: null, end: null };
  const placed = search.locate(target.anchor, place.rolloutId);
  return placed.state === 'orphaned' ? { state: 'orphaned', start: null, end: null } : placed;
}

/** Finds rollouts of a problem at a step by content hash. Each text is read once for all lookups. */
class ContentLookup {
  private readonly texts: RolloutTexts;
  private readonly siblings: (place: Record<string, unknown>) => readonly number[];
  private readonly hashes = new Map<number, string | undefined>();
  private readonly known = new Map<string, ReadonlyMap<string, number>>();

  constructor(texts: RolloutTexts, siblings: (place: Record<string, unknown>) => readonly number[]) {
    this.texts = texts;
    this.siblings = siblings;
  }

  hashOf(rolloutId: number): string | undefined {
    if (!this.hashes.has(rolloutId)) this.hashes.set(rolloutId, this.texts.contentHashOf(rolloutId));
    return this.hashes.get(rolloutId);
  }

  find(key: KeyRow): number | undefined {
    const place = JSON.stringify([key.run_key, key.step, key.problem_id]);
    let known = this.known.get(place);
    if (known === undefined) {
      const ids = this.siblings({ run: key.run_key, step: key.step, problem: key.problem_id });
      // Reversed, so that the first of several equal rollouts wins.
      known = new Map([...ids].reverse().map((id) => [this.hashOf(id) ?? '', id]));
      this.known.set(place, known);
    }
    return known.get(key.content_hash);
  }
}
