/** Searches the texts of several rollouts at once, under one time limit for regular expressions. */
import { type ApiError, refused } from '../../shared/api/errors.ts';
import { mayRunAway, type TextNode } from '../../shared/domain/filter/node.ts';
import type { RolloutTexts } from '../storage/queries/texts.ts';
import { eachWithTimeLimit } from '../threads/timeLimit.ts';
import type { TextLookup } from './textLookup.ts';

export const MOST_ROLLOUTS = 256;
/** UTF-16 units. */
export const MOST_CHARS = 2 ** 22;

export interface SearchedTexts {
  readonly texts: RolloutTexts;
  /**
   * Result by text node, for nodes that the index cannot answer. Undefined if a regular expression was
   * stopped in this rollout.
   */
  readonly holds: ReadonlyMap<TextNode, boolean> | undefined;
}

export class TextBatch {
  private readonly lookup: TextLookup;
  private readonly nodes: readonly TextNode[];
  private readonly mayRunAway: boolean;
  private rollouts: RolloutTexts[] = [];
  private chars = 0;

  constructor(lookup: TextLookup, nodes: readonly TextNode[]) {
    this.lookup = lookup;
    this.nodes = nodes;
    this.mayRunAway = nodes.some(mayRunAway);
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
   * @param onRunaway called for each rollout in which a regular expression is stopped
   * @throws ApiError `refused` at the first such rollout, unless `onRunaway` is given
   */
  search(onRunaway: () => void = refuseRunaway): readonly SearchedTexts[] {
    const { rollouts } = this;
    this.rollouts = [];
    this.chars = 0;
    if (!this.mayRunAway) return rollouts.map((texts) => this.searchOne(texts));
    const searched = eachWithTimeLimit(rollouts, (texts) => this.searchOne(texts), onRunaway);
    return rollouts.map((texts, at) => searched[at] ?? { texts, holds: undefined });
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

function refuseRunaway(): never {
  throw runawayRegex(1);
}

/** @param rollouts number of rollouts in which the expression was stopped */
export function runawayRegex(rollouts: number): ApiError {
  const where = rollouts === 1 ? 'in one text' : `in each of ${rollouts} rollouts`;
  return refused(
    `the regular expression was stopped: ${where} it took longer than 1 s or needed too much memory. ` +
      'Avoid nested repetitions such as (a+)+ and repeated groups such as (.|\\n)*',
  );
}
