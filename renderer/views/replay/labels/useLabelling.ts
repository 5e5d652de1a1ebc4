/**
 * What number keys and buttons do: a label is put on what is selected, else on the whole rollout or the turn that is
 * read; the same key again takes it away. A change is said to be made once it is on disk.
 */

import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import {
  type AnnotationRow,
  LABEL_OF_FLAG,
  type Label,
  type LabelKey,
  type RolloutDetail,
  type Taxonomy,
} from '../../../../shared/api/contract.ts';
import type { PlainTarget } from '../../../../shared/domain/annotate/draft.ts';
import { FLAG_MEANINGS, type Flag } from '../../../../shared/domain/flags.ts';
import type { TextRange } from '../../../../shared/domain/model.ts';
import {
  type AnnotationChange,
  labelOf,
  useAnnotate,
  useAnnotations,
  useTaxonomy,
} from '../../../data/annotations.ts';
import { useClient, useLibrary } from '../../../data/DataProvider.tsx';
import { notSaved } from '../../../data/failures.ts';
import { fetchCached } from '../../../data/useRequest.ts';
import { keyWord } from '../../../shell/keys/keysInForce.ts';
import { useInterface } from '../../../state/interface.ts';
import { type NoteDraft, useLabelling as useStore } from '../../../state/labelling.ts';
import { useTokenView } from '../../../state/tokenView.ts';
import { FORMULAS, placedTexts } from '../text/markPainter.ts';
import { keyChain } from './actionChain.ts';
import {
  annotationsShown,
  draftKeyOf,
  firstLine,
  flagPlace,
  isAbout,
  labelRanges,
  openFlags,
  scrubberMarks,
  targetLabel,
} from './labelModel.ts';
import { focusNote } from './NoteEditor.tsx';
import { useOpenRollout } from './useQueue.ts';

export interface Labelling {
  readonly taxonomy: Taxonomy | undefined;
  /** Those the reader may see. */
  readonly annotations: readonly AnnotationRow[];
  readonly reader: string;
  readonly ranges: ReturnType<typeof labelRanges>;
  readonly marks: ReturnType<typeof scrubberMarks>;
  readonly draft: NoteDraft | undefined;
  readonly draftKey: string;
  /** What a key is about now, in words. */
  readonly scope: PlainTarget;
  readonly putLabel: (label: Label) => void;
  /** By its key; one pressed before the labels are known is not lost. */
  readonly putKey: (key: LabelKey, target?: PlainTarget) => Promise<void>;
  /** What a key is about at this moment: what is selected, else what is read. */
  readonly targetNow: () => PlainTarget | undefined;
  readonly removeOne: (annotation: AnnotationRow) => void;
  readonly write: (target?: PlainTarget) => void;
  readonly edit: (annotation: AnnotationRow) => void;
  readonly saveDraft: () => void;
  readonly dropDraft: () => void;
  /** A label of what a rule has found, at the place where it shows. */
  readonly confirmFlag: (flag: Flag) => Promise<void>;
  /** The first flag that nobody has confirmed; undefined: there is none. */
  readonly nextFlag: Flag | undefined;
  readonly apply: (changes: readonly AnnotationChange[], said: string) => Promise<boolean>;
  readonly undo: () => Promise<void>;
  readonly redo: () => Promise<void>;
  readonly flipScope: () => void;
}

const NONE: readonly AnnotationRow[] = [];

interface Situation {
  /** The one that is read. */
  readonly turn: number;
  readonly isBlind: boolean;
  /** Tokens that are selected, by their characters in the response. */
  readonly brushed: TextRange | undefined;
}

export function useLabelling(detail: RolloutDetail, { turn, isBlind, brushed }: Situation): Labelling {
  const { rolloutId } = detail.row;
  const taxonomy = useTaxonomy();
  const all = useAnnotations(rolloutId)?.annotations ?? NONE;
  const reader = useStore((state) => state.reader);
  const wanted = useStore((state) => state.scope);
  const draftKey = draftKeyOf(useLibrary(), detail);
  const draft = useStore((state) => state.drafts[draftKey]);
  const { setDraft, setScope } = useStore.getState();
  const annotate = useAnnotate();
  const openRollout = useOpenRollout();
  const client = useClient();
  const queryClient = useQueryClient();
  const { setNotice } = useInterface.getState();
  const annotations = useMemo(() => annotationsShown(all, { isBlind, reader }), [all, isBlind, reader]);
  const ranges = useMemo(() => labelRanges(annotations, taxonomy), [annotations, taxonomy]);
  const length = detail.response.length;
  const marks = useMemo(() => scrubberMarks(annotations, taxonomy, length), [annotations, taxonomy, length]);
  // Above the first turn one reads the problem, which every sibling has.
  const place: PlainTarget = wanted === 'turn' && turn > 0 ? { kind: 'turn', turn } : { kind: 'rollout' };

  const scope: PlainTarget = brushed === undefined ? place : { kind: 'span', text: 'response', ...brushed };

  const apply = async (changes: readonly AnnotationChange[], said: string): Promise<boolean> => {
    try {
      await annotate.apply(reader, changes);
      setNotice(said);
      return true;
    } catch (error) {
      setNotice(notSaved(error));
      return false;
    }
  };

  /** Undefined: what is selected has no place in the rollout, which is said. */
  const targetNow = (): PlainTarget | undefined => {
    const span = selectedSpan();
    if (span === undefined) return scope;
    if (span !== 'unplaced') return { kind: 'span', ...span };
    setNotice('The selection is not part of the logged text: nothing was labelled');
    return undefined;
  };

  const putLabel = async (label: Label, target = targetNow(), shown = annotations) => {
    if (target === undefined) return;
    const same = shown.find((one) => one.label === label.id && one.author === reader && isAbout(one, target));
    const words = `${label.name}: ${targetLabel(target)} of #${detail.row.ordinal}`;
    clearSelection();
    if (same !== undefined) await apply([{ remove: same.id }], `Removed the label ${words}`);
    else
      await apply(
        [{ put: { rolloutId, target, label: label.id } }],
        `Labelled ${words}. ${keyWord('label.undo')} undoes it`,
      );
  };

  const putKey = async (key: LabelKey, target = targetNow()) => {
    if (target === undefined) return;
    try {
      const [labels, said] = await Promise.all([
        fetchCached(queryClient, client, 'taxonomy.get', {}),
        fetchCached(queryClient, client, 'annotation.list', { rolloutId }),
      ]);
      const label = labels.taxonomy.labels.find((one) => one.key === key);
      if (label === undefined) setNotice(`No label has the key ${key}. See Labels, Taxonomy`);
      else await putLabel(label, target, annotationsShown(said.annotations, { isBlind, reader }));
    } catch (error) {
      setNotice(notSaved(error));
    }
  };

  const show = () => {
    useTokenView.getState().setInspectorTab('labels');
    const state = useInterface.getState();
    if (!state.isInspectorOpen) state.flip('isInspectorOpen');
    if (state.isFocused) state.flip('isFocused');
  };

  const write = (target?: PlainTarget) => {
    // One that is being written is gone on with, unless something else is meant now.
    const about = target ?? targetNow();
    if (about === undefined) return;
    if (draft === undefined || about.kind === 'span')
      setDraft(draftKey, { note: '', correction: '', target: about });
    clearSelection();
    show();
    setTimeout(focusNote);
  };

  const edit = (annotation: AnnotationRow) => {
    const { target, place, id, label, note = '', correction = '', severity } = annotation;
    const about: PlainTarget =
      target.kind === 'span'
        ? { kind: 'span', text: target.anchor.text, start: place?.start ?? 0, end: place?.end ?? 0 }
        : target;
    setDraft(draftKey, {
      id,
      note,
      correction,
      target: about,
      ...(label === undefined ? {} : { label }),
      ...(severity === undefined ? {} : { severity }),
    });
    show();
    setTimeout(focusNote);
  };

  const saveDraft = async () => {
    if (draft === undefined) return;
    const { id, target, label, severity } = draft;
    const [note, correction] = [draft.note.trim(), draft.correction.trim()];
    if (label === undefined && note === '' && correction === '') {
      setNotice('There is nothing to save yet: a note, a correction or a label');
      return;
    }
    const said = {
      ...(label === undefined ? {} : { label }),
      ...(note === '' ? {} : { note }),
      ...(correction === '' ? {} : { correction }),
      ...(severity === undefined ? {} : { severity }),
    };
    const put = id === undefined ? { rolloutId, target, ...said } : { id, ...said };
    const words = firstLine(note) || (label === undefined ? 'correction' : labelOf(taxonomy, label).name);
    if (await apply([{ put }], `Saved: ${words}`)) setDraft(draftKey, undefined);
  };

  const confirmFlag = async (flag: Flag) => {
    const label = LABEL_OF_FLAG[flag];
    const found = detail.flags.find((one) => one.flag === flag);
    if (label === undefined || found === undefined) return;
    const [evidence] = found.evidence;
    const place = evidence === undefined ? undefined : flagPlace(evidence, detail);
    const target: PlainTarget =
      place === undefined || place.end <= place.start
        ? { kind: 'rollout' }
        : { kind: 'span', text: 'response', start: place.start, end: place.end };
    const said = `${labelOf(taxonomy, label).name}: ${FLAG_MEANINGS[flag]}`;
    await apply([{ put: { rolloutId, target, label, flag } }], said);
  };

  const take = async (way: 'undo' | 'redo') => {
    try {
      const { words, rolloutIds } = await annotate[way](reader);
      const nothing = way === 'undo' ? 'Nothing to undo' : 'Nothing to redo';
      setNotice(words === undefined ? nothing : `${way === 'undo' ? 'Undone' : 'Redone'}: ${words}`);
      // What was changed is looked at, as one who reads on has gone on from it.
      const [changed] = rolloutIds;
      if (changed !== undefined && !rolloutIds.includes(rolloutId)) {
        await openRollout(changed);
        await keyChain.shown(changed);
      }
    } catch (error) {
      setNotice(error instanceof Error ? error.message : String(error));
    }
  };

  return {
    taxonomy,
    annotations,
    reader,
    ranges,
    marks,
    draft,
    draftKey,
    scope,
    putLabel: (label) => void putLabel(label),
    putKey,
    targetNow,
    removeOne: (one) => void apply([{ remove: one.id }], `Deleted. ${keyWord('label.undo')} restores it`),
    write,
    edit,
    confirmFlag,
    nextFlag: isBlind ? undefined : openFlags(detail, annotations)[0]?.flag,
    saveDraft: () => void saveDraft(),
    dropDraft: () => setDraft(draftKey, undefined),
    apply,
    undo: () => take('undo'),
    redo: () => take('redo'),
    flipScope: () => setScope(wanted === 'turn' ? 'rollout' : 'turn'),
  };
}

interface SelectedSpan {
  readonly text: 'prompt' | 'response';
  readonly start: number;
  readonly end: number;
}

/**
 * Undefined where nothing is selected; `unplaced` where something is that is no literal part of the rollout: then
 * nothing may be labelled in its stead.
 */
function selectedSpan(): SelectedSpan | 'unplaced' | undefined {
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

const clearSelection = (): void => document.getSelection()?.removeAllRanges();
