/** The text a reader has selected in a transcript, as a place in the prompt or the response. */
import { FORMULAS, placedTexts } from '../markPainter.ts';

export interface SelectedSpan {
  readonly text: 'prompt' | 'response';
  readonly start: number;
  readonly end: number;
}

/**
 * Undefined where nothing is selected; `unplaced` where something is that is no literal part of the rollout: then
 * nothing may be labelled in its stead.
 */
export function selectedSpan(): SelectedSpan | 'unplaced' | undefined {
  const selection = document.getSelection();
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return undefined;
  const range = selection.getRangeAt(0);
  const anchor = range.commonAncestorContainer;
  const element = anchor instanceof Element ? anchor : anchor.parentElement;
  const pane = element?.closest('.transcript-pane');
  if (pane === null || pane === undefined || element === null) return undefined;
  const parts: SelectedSpan[] = [];
  // A selection within one text node, or within a formula, has no element of its own below it.
  const inside = element.closest('[data-start], [data-formula-start]')?.parentElement ?? element;
  for (const { node, start, source } of placedTexts(inside)) {
    if (!range.intersectsNode(node) || !isText(source)) continue;
    const from = node === range.startContainer ? range.startOffset : 0;
    const to = node === range.endContainer ? range.endOffset : node.data.length;
    if (to > from) parts.push({ text: source, start: start + from, end: start + to });
  }
  // A formula is set anew: it is selected as a whole.
  for (const { dataset } of [...inside.querySelectorAll<HTMLElement>(FORMULAS)].filter((formula) =>
    range.intersectsNode(formula),
  )) {
    const [start, end] = [Number(dataset.formulaStart), Number(dataset.formulaEnd)];
    if (isText(dataset.source) && end > start) parts.push({ text: dataset.source, start, end });
  }
  return spanOf(parts) ?? 'unplaced';
}

const isText = (source: string | undefined): source is SelectedSpan['text'] =>
  source === 'prompt' || source === 'response';

/** From the first place to the last: of two texts, the one with more of it. */
export function spanOf(parts: readonly SelectedSpan[]): SelectedSpan | undefined {
  const chars = (text: SelectedSpan['text']) =>
    parts.reduce((sum, part) => sum + (part.text === text ? part.end - part.start : 0), 0);
  const text = chars('prompt') > chars('response') ? 'prompt' : 'response';
  const own = parts.filter((part) => part.text === text);
  if (own.length === 0) return undefined;
  return {
    text,
    start: Math.min(...own.map(({ start }) => start)),
    end: Math.max(...own.map(({ end }) => end)),
  };
}

export const clearSelection = (): void => document.getSelection()?.removeAllRanges();
