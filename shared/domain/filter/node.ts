/**
 * A filter as a tree. `not` means everything else: a rollout of which a value is unknown does
 * not match `reward:0` and does match `not reward:0`, so that a filter and its opposite are
 * together all rollouts.
 */
import type { FieldName, FlagField, NumberField, TextField, WordField } from './fields.ts';

export type FilterNode =
  /** Every rollout: the empty filter. */
  | { readonly kind: 'all' }
  | { readonly kind: 'and' | 'or'; readonly nodes: readonly FilterNode[] }
  | { readonly kind: 'not'; readonly node: FilterNode }
  | NumberNode
  | { readonly kind: 'flag'; readonly field: FlagField; readonly value: boolean }
  | WordNode
  /** The value is known, whatever it is. */
  | { readonly kind: 'known'; readonly field: Exclude<FieldName, TextField> }
  | TextNode;

/** Between two bounds; an absent one is open to that side. */
export interface NumberNode {
  readonly kind: 'number';
  readonly field: NumberField;
  readonly from?: Bound;
  readonly to?: Bound;
}

export interface Bound {
  readonly value: number;
  /** The bound itself does not match. */
  readonly isExclusive: boolean;
}

/** Equal without regard to case; `*` in a pattern stands for any characters. Of several tool calls one is enough. */
export interface WordNode {
  readonly kind: 'word';
  readonly field: WordField;
  readonly text: string;
  readonly isPattern: boolean;
}

/**
 * `words`: these words one after the other, without regard to case and to what stands between them.
 * `prefix`: the same, the last word may go on. `regex`: a JavaScript regular expression (flag `u`, else `i` and `s` as given).
 */
export interface TextNode {
  readonly kind: 'text';
  readonly field: TextField;
  readonly form: 'words' | 'prefix' | 'regex';
  readonly text: string;
  /** Of a regular expression: any of `ims`. */
  readonly flags?: string;
}

/** What cannot be read, with where: a half-open range of the filter, UTF-16. */
export interface FilterFault {
  readonly message: string;
  readonly start: number;
  readonly end: number;
}

export type ReadFilter =
  | { readonly ok: true; readonly node: FilterNode }
  | { readonly ok: false; readonly fault: FilterFault };

/** The parts that look at texts, each once: they are answered elsewhere than numbers and words. */
export function textNodesOf(node: FilterNode): readonly TextNode[] {
  switch (node.kind) {
    case 'and':
    case 'or':
      return node.nodes.flatMap(textNodesOf);
    case 'not':
      return textNodesOf(node.node);
    case 'text':
      return [node];
    default:
      return [];
  }
}

/** Parts that look at texts, of which a rollout that matches has one: what is worth marking in it. */
export function wantedTextNodes(node: FilterNode): readonly TextNode[] {
  switch (node.kind) {
    case 'and':
    case 'or':
      return node.nodes.flatMap(wantedTextNodes);
    case 'text':
      return [node];
    default:
      return [];
  }
}
