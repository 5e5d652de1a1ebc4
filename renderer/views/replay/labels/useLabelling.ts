/**
 * Actions of number keys and buttons. A label applies to the selection, else to the whole rollout or the current turn;
 * the same key again removes it. A change is confirmed once it is on disk.
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
  labelRanges,
  labelsOfAll,
  labelWithoutNote,
  openFlags,
  scrubberMarks,
  targetLabel,
  toggledLabel,
} from './labelModel.ts';
import { focusNote } from './NoteEditor.tsx';
import { useOpenRollout } from './useQueue.ts';

export interface Labelling {
  readonly taxonomy: Taxonomy | undefined;
  /** The annotations that this reader may see. */
  readonly annotations: readonly AnnotationRow[];
  /** How many older ones are not among them. */
  readonly unlisted: number;
  readonly reader: string;
  readonly ranges: ReturnType<typeof labelRanges>;
  readonly marks: ReturnType<typeof scrubberMarks>;
  readonly draft: NoteDraft | undefined;
  /** The label, given before, that the draft is saved with. */
  readonly noted: Label | undefined;
  readonly draftKey: string;
  /** The target of the next key, unless text is selected. */
  readonly scope: PlainTarget;
  /** Name of the target in a comparison: `A`, `A and B`. */
  readonly laneNames: string | undefined;
  /** Ids of the labels that this reader has given to every rollout that is labelled. */
  readonly given: ReadonlySet<string>;
  readonly putLabel: (label: Label) => void;
  /** Looks the label up by key. Waits for the taxonomy, so that an early key press is not lost. */
  readonly putKey: (key: LabelKey, target?: PlainTarget) => Promise<void>;
  /** The target of a key right now: the selection, else the current rollout or turn. */
  readonly targetNow: () => PlainTarget | undefined;
  readonly removeOne: (annotation: AnnotationRow) => void;
  readonly write: (target?: PlainTarget) => void;
  readonly edit: (annotation: AnnotationRow) => void;
  readonly saveDraft: () => void;
  readonly dropDraft: () => void;
  /** Adds the label that a flag suggests, at the position of its evidence. */
  readonly confirmFlag: (flag: Flag) => Promise<void>;
  /** The first unconfirmed flag, if any. */
  readonly nextFlag: Flag | undefined;
  readonly apply: (changes: readonly AnnotationChange[], said: string) => Promise<boolean>;
  readonly undo: () => Promise<void>;
  readonly redo: () => Promise<void>;
  readonly flipScope: () => void;
}

const NONE: readonly AnnotationRow[] = [];

/** Facts that only a comparison has, since it shows several rollouts. */
export interface ComparedLanes {
  /** Rollouts that get the same labels and notes. */
  readonly others: readonly RolloutDetail[];
  /** The rollouts on the page. Undoing a change of one of them does not leave it. */
  readonly shownIds: readonly number[];
  /** Names of all that are labelled: `A`, `A and B`. */
  readonly names: string;
  readonly flipScope: () => void;
  readonly showPanel: () => void;
}

interface Situation {
  /** The current turn. */
  readonly turn: number;
  readonly isBlind: boolean;
  /** Range in the response of the selected tokens. */
  readonly brushed: TextRange | undefined;
  /** Absent in a replay. */
  readonly compared?: ComparedLanes | undefined;
}

const NO_OTHERS: readonly RolloutDetail[] = [];

export function useLabelling(
  detail: RolloutDetail,
  { turn, isBlind, brushed, compared }: Situation,
): Labelling {
  const { rolloutId } = detail.row;
  const others = (compared?.others ?? NO_OTHERS).map(({ row }) => row.rolloutId);
  // The same rollout can be in two lanes.
  const labelledIds = [...new Set([rolloutId, ...others])];
  const taxonomy = useTaxonomy();
  const { annotations: all = NONE, unlisted = 0 } = useAnnotations(rolloutId) ?? {};
  // A comparison has four lanes at most.
  const beside = [useAnnotations(others[0]), useAnnotations(others[1]), useAnnotations(others[2])]
    .slice(0, others.length)
    .map((answer) => answer?.annotations ?? NONE);
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
  // Turn 0 shows the problem, which all siblings share, so label the rollout there.
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

  /** The label that a new note with a chosen label is saved with, instead of beside it. */
  const bareLabelOf = (own: readonly AnnotationRow[], { id, label, begunFor, target }: NoteDraft) =>
    id !== undefined || label === undefined
      ? undefined
      : (labelWithoutNote(own, { label, target, reader }) ??
        (begunFor === undefined ? undefined : labelWithoutNote(own, { label: begunFor, target, reader })));

  /** Undefined: the selection is not part of the logged text. Shows a notice about that. */
  const targetNow = (): PlainTarget | undefined => {
    const span = selectedSpan();
    if (span === undefined) return scope;
    if (span !== 'unplaced') return { kind: 'span', ...span };
    setNotice('The selection is not part of the logged text: nothing was labelled');
    return undefined;
  };

  const putLabel = async (label: Label, target = targetNow()) => {
    if (target === undefined) return;
    clearSelection();
    try {
      const each = await Promise.all(
        labelledIds.map(async (id) => {
          const said = await fetchCached(queryClient, client, 'annotation.list', { rolloutId: id });
          return { rolloutId: id, annotations: said.annotations };
        }),
      );
      const changes = toggledLabel(each, { label: label.id, target, reader });
      const about = compared?.names ?? `${targetLabel(target)} of #${detail.row.ordinal}`;
      const removed = changes.flatMap((change) => ('remove' in change ? change.remove : []));
      const hasNote = each.some(({ annotations: own }) =>
        own.some(({ id, note }) => note !== undefined && removed.includes(id)),
      );
      const what = hasNote ? `${label.name} and its note` : label.name;
      const undo = removed.length === 0 || hasNote ? `. ${keyWord('label.undo')} undoes it` : '';
      await apply(
        changes,
        `${removed.length > 0 ? 'Removed the label' : 'Labelled'} ${what}: ${about}${undo}`,
      );
    } catch (error) {
      setNotice(notSaved(error));
    }
  };

  const notedLabel = (of: NoteDraft): Label | undefined => {
    const bare = [annotations, ...beside].flatMap((own) => bareLabelOf(own, of) ?? []);
    return bare[0]?.label === undefined ? undefined : labelOf(taxonomy, bare[0].label);
  };

  const putKey = async (key: LabelKey, target = targetNow()) => {
    if (target === undefined) return;
    try {
      const labels = await fetchCached(queryClient, client, 'taxonomy.get', {});
      const label = labels.taxonomy.labels.find((one) => one.key === key);
      if (label === undefined) setNotice(`No label has the key ${key}. See Labels, Taxonomy`);
      else await putLabel(label, target);
    } catch (error) {
      setNotice(notSaved(error));
    }
  };

  const show = () => {
    if (compared !== undefined) return compared.showPanel();
    useTokenView.getState().setInspectorTab('labels');
    const state = useInterface.getState();
    if (!state.isInspectorOpen) state.flip('isInspectorOpen');
    if (state.isFocused) state.flip('isFocused');
  };

  const write = (target?: PlainTarget) => {
    // An open draft is continued, unless another target was chosen.
    const about = target ?? targetNow();
    if (about === undefined) return;
    if (draft === undefined || about.kind === 'span') {
      const bare = [annotations, ...beside].map((own) => labelWithoutNote(own, { target: about, reader }));
      const { label, severity } = bare[0] ?? {};
      setDraft(draftKey, {
        ...{ note: '', correction: '', target: about },
        ...(label === undefined || bare.some((one) => one?.label !== label)
          ? {}
          : { label, begunFor: label }),
        ...(severity === undefined ? {} : { severity }),
      });
    }
    clearSelection();
    show();
    focusNote();
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
    focusNote();
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
    const puts =
      id === undefined
        ? labelledIds.map((each, i) => {
            const bare = bareLabelOf([annotations, ...beside][i] ?? NONE, draft);
            return bare === undefined
              ? { put: { rolloutId: each, target, ...said } }
              : { put: { id: bare.id, ...said } };
          })
        : [{ put: { id, ...said } }];
    const words = firstLine(note) || (label === undefined ? 'correction' : labelOf(taxonomy, label).name);
    if (await apply(puts, `Saved: ${words}`)) setDraft(draftKey, undefined);
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
      const done = way === 'undo' ? 'Undone' : 'Redone';
      setNotice(words === undefined ? `Nothing to ${way}` : `${done}: ${words}`);
      // Opens the changed rollout, since the user may have moved on since the change.
      const [changed] = rolloutIds;
      const shownIds = compared?.shownIds ?? [rolloutId];
      if (changed !== undefined && !rolloutIds.some((id) => shownIds.includes(id))) {
        await openRollout(changed);
        if (words !== undefined) setNotice(`${done}: ${words}. It was on this rollout, which is open now`);
        await keyChain.shown(changed);
      }
    } catch (error) {
      setNotice(error instanceof Error ? error.message : String(error));
    }
  };

  return {
    taxonomy,
    annotations,
    unlisted,
    reader,
    ranges,
    marks,
    draft,
    noted: draft === undefined ? undefined : notedLabel(draft),
    draftKey,
    scope,
    laneNames: compared?.names,
    given: labelsOfAll([annotations, ...beside], reader),
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
    flipScope: compared?.flipScope ?? (() => setScope(wanted === 'turn' ? 'rollout' : 'turn')),
  };
}

interface SelectedSpan {
  readonly text: 'prompt' | 'response';
  readonly start: number;
  readonly end: number;
}

/**
 * Undefined if nothing is selected. `unplaced` if the selection is not a literal part of the rollout: then nothing
 * must be labelled instead.
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
  // A selection within one text node, or within a formula, contains no such element.
  const inside = element.closest('[data-start], [data-formula-start]')?.parentElement ?? element;
  for (const { node, start, source } of placedTexts(inside)) {
    if (!range.intersectsNode(node) || !isText(source)) continue;
    const from = node === range.startContainer ? range.startOffset : 0;
    const to = node === range.endContainer ? range.endOffset : node.data.length;
    if (to > from) parts.push({ text: source, start: start + from, end: start + to });
  }
  // KaTeX replaces a formula's characters, so a formula is selected as a whole.
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

/** From the first to the last offset. If prompt and response are both selected, the one with more characters counts. */
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
