/** Prints a filter as text that parses to the same filter. */
import { quoted } from './lexer.ts';
import type { FilterNode, TextNode, WordNode } from './node.ts';
import { boundsText } from './numbers.ts';

export function filterText(node: FilterNode): string {
  switch (node.kind) {
    case 'all':
      return '';
    case 'and':
      return node.nodes.map((each) => (each.kind === 'or' ? bracketed(each) : filterText(each))).join(' ');
    case 'or':
      return node.nodes.map(filterText).join(' or ');
    case 'not':
      if (node.node.kind === 'known') return `${node.node.field}:none`;
      return `not ${node.node.kind === 'and' || node.node.kind === 'or' ? bracketed(node.node) : filterText(node.node)}`;
    case 'number':
      return `${node.field}:${boundsText(node)}`;
    case 'flag':
      return `${node.field}:${node.value}`;
    case 'known':
      return `${node.field}:*`;
    case 'word':
      return `${node.field}:${wordText(node)}`;
    case 'text':
      return (node.field === 'text' ? '' : `${node.field}:`) + textText(node);
  }
}

/** A filter that matches what both match. */
export function bothFilters(a: string, b: string): string {
  const parts = [a, b].map((part) => part.trim()).filter((part) => part !== '');
  if (parts.length < 2) return parts[0] ?? '';
  return parts.map((part) => (/(^|[\s)"])or($|[\s("])/i.test(part) ? `(${part})` : part)).join(' ');
}

function bracketed(node: FilterNode): string {
  return `(${filterText(node)})`;
}

/** A value needs no quotes if it parses as one word without special meaning. */
const BARE = /^(?!(?:.*=)?none$|any$|\*$)[^\s()",*/-][^\s()",*]*$/i;

function wordText({ text, isPattern }: WordNode): string {
  return isPattern || BARE.test(text) ? text : quoted(text);
}

const BARE_TEXT = /^(?!(?:and|or|not)$)[\p{L}\p{N}_]+$/iu;

function textText({ form, text, flags }: TextNode): string {
  switch (form) {
    case 'regex':
      return `/${text}/${flags ?? ''}`;
    case 'prefix':
      return `${text}*`;
    case 'words':
      return BARE_TEXT.test(text) ? text : quoted(text);
  }
}
