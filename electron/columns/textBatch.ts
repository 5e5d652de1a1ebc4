/** Searches the texts of several rollouts at once, under one time limit for regular expressions. */
import { type ApiError, refused } from '../../shared/api/errors.ts';
import type { TextNode } from '../../shared/domain/filter/node.ts';
import type { RolloutTexts } from '../storage/queries/texts.ts';
import { withTimeLimit } from '../threads/timeLimit.ts';
import type { TextLookup } from './textLookup.ts';

const MOST_ROLLOUTS = 64;
/** UTF-16 units. */
const MOST_CHARS = 2 ** 20;

export interface SearchedTexts {
  readonly texts: RolloutTexts;
  /**
   * Result by text node, for nodes that the index cannot answer. Undefined if a regular expression timed
   * out in this rollout.
   */
  readonly holds: ReadonlyMap<TextNode, boolean> | undefined;
}

export class TextBatch {
  private readonly lookup: TextLookup;
  private readonly nodes: readonly TextNode[];
  private readonly hasRegex: boolean;
  private rollouts: RolloutTexts[] = [];
  private chars = 0;

  constructor(lookup: TextLookup, nodes: readonly TextNode[]) {
    this.lookup = lookup;
    this.nodes = nodes;
    this.hasRegex = nodes.some(({ form }) => form === 'regex');
  }

  /** @returns true when the batch should be searched before another rollout is added */
  add(rollout: RolloutTexts): boolean {
    // Read before the search, because SQLite must not run under the time limit.
    const [prompt, response] = [rollout.prompt(), rollout.response()];
    this.rollouts.push({ ...rollout, prompt: () => prompt, response: () => response });
    for (const { inner } of response) this.chars += inner.length;
    return this.rollouts.length >= MOST_ROLLOUTS || this.chars >= MOST_CHARS;
  }

  /**
   * Searches and empties the batch.
   *
   * @param mostRunaway number of rollouts in which an expression may time out
   * @param runawayBefore number of rollouts in which one has timed out already
   * @throws ApiError `refused` when the limit is exceeded
   */
  search(mostRunaway = 0, runawayBefore = 0): readonly SearchedTexts[] {
    const { rollouts } = this;
    this.rollouts = [];
    this.chars = 0;
    if (!this.hasRegex) return rollouts.map((texts) => this.searchOne(texts));
    const all = withTimeLimit(() => rollouts.map((texts) => this.searchOne(texts)));
    if (all !== undefined) return all;
    let runaway = runawayBefore;
    return rollouts.map((texts) => {
      const searched = withTimeLimit(() => this.searchOne(texts));
      if (searched !== undefined) return searched;
      if (++runaway > mostRunaway) throw runawayRegex(runaway);
      return { texts, holds: undefined };
    });
  }

  private searchOne(texts: RolloutTexts): SearchedTexts {
    const { rolloutId, groupId } = texts;
    const holds = new Map<TextNode, boolean>();
    for (const node of this.nodes) {
      if (this.lookup.known(node, rolloutId, groupId) === undefined)
        holds.set(node, this.lookup.read(node, texts));
    }
    return { texts, holds };
  }
}

function runawayRegex(rollouts: number): ApiError {
  const where = rollouts === 1 ? 'in one text' : `in each of ${rollouts} rollouts`;
  return refused(
    `the regular expression was stopped: ${where} it took longer than 2 s. Avoid nested repetitions such as (a+)+`,
  );
}
