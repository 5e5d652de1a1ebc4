import { PENALTY_KINDS, type PenaltyKind } from '../../../shared/api/rocRows.ts';
import { scoreRank } from '../../../shared/domain/scores.ts';
import { keyWord } from '../../shell/keys/keysInForce.ts';
import { plainLogText } from '../../ui/LogText.tsx';
import { RightMark } from '../../ui/Marks.tsx';
import { count, signed } from '../../ui/numbers.ts';
import { AnswerText } from '../../widgets/AnswerText.tsx';
import { PENALTY_LABELS, type Source } from '../../widgets/roc/rocLabels.ts';
import { MALFORMED_HINT, malformedCell, stopReasonCell } from '../../widgets/rollouts/cells.tsx';
import {
  MOST_SCORE_COLUMNS,
  rewardCell,
  Score,
  scoreColumn,
  scoreOf,
} from '../../widgets/rollouts/scoreColumns.tsx';
import {
  CountedPenalty,
  column,
  decisionColumn,
  type LedgerColumn,
  labelColumn,
  WayCell,
  whatIfColumn,
} from './ledgerCells.tsx';
import { type LedgerEntry, type PenaltyPart, penaltyPart } from './ledgerModel.ts';

export interface LedgerColumnOptions {
  /** All rows of the group. Their decisions give a column its width. */
  readonly entries: readonly LedgerEntry[];
  /** Whether to show the columns of decisions, penalties and advantages. */
  readonly hasRoc: boolean;
  readonly source: Source;
  /** The source of the penalty that counts, as a key of its labels. */
  readonly counted: keyof typeof PENALTY_LABELS;
  readonly hasWhatIf: boolean;
  /** Whether any decision differs from the recomputed one. */
  readonly hasDifferences: boolean;
  readonly showsAllWays: boolean;
  /** `A`, `B`, or empty. */
  readonly markOf: (entry: LedgerEntry) => string;
  readonly hasTokens: boolean;
  /** Whether any rollout has a malformed call. */
  readonly hasMalformedCalls: boolean;
  /** Whether any answer is a text rather than a value. The spare width is then its column's. */
  readonly hasLongAnswers: boolean;
  /** Whether any rollout has a known stop reason. */
  readonly hasStopReason: boolean;
  /** Whether readers have labelled any rollout. */
  readonly hasLabels: boolean;
  /** Names of the scores of any rollout. The first get a column. */
  readonly scores: readonly string[];
}

/** Columns from identity and reason on the left to the outcome on the right. */
export function ledgerColumns(options: LedgerColumnOptions): readonly LedgerColumn[] {
  const { hasRoc, hasWhatIf, showsAllWays, hasTokens, hasMalformedCalls, hasStopReason, hasLabels } = options;
  return [
    column({
      id: 'pair',
      label: '',
      name: 'pair',
      hint: `${keyWord('row.select')} selects a row; two are shown side by side`,
      minWidth: 12,
      grow: 0,
      cell: (entry) => <b className="pair-mark">{options.markOf(entry)}</b>,
    }),
    column({
      id: 'ordinal',
      label: 'rollout',
      hint: 'Position in the oversampled group',
      minWidth: 46,
      grow: 0,
      sorts: 'ascending',
      measure: ({ row }) => row.ordinal,
      cell: ({ row }) => <span className="mono">#{row.ordinal}</span>,
    }),
    ...(hasRoc
      ? [decisionColumn(options.entries, options.source, options.hasDifferences, hasWhatIf || showsAllWays)]
      : []),
    ...(hasWhatIf ? [whatIfColumn()] : []),
    answerColumn(options.hasLongAnswers),
    ...(hasLabels ? [labelColumn()] : []),
    column({
      id: 'reward',
      label: 'reward',
      hint: 'Italics: derived by Turnwise from a grade, such as C for correct',
      align: 'end',
      minWidth: 44,
      grow: 0.4,
      sorts: 'descending',
      measure: ({ rollout }) => rollout?.reward,
      cell: ({ rollout }) => rewardCell(rollout),
    }),
    ...options.scores.slice(0, MOST_SCORE_COLUMNS).map(scoreColumnOf),
    ...(hasRoc ? [...(showsAllWays ? allWays() : countedWays(options.counted)), advantageColumn()] : []),
    ...(hasRoc && showsAllWays
      ? [
          column({
            id: 'advantageOfAll',
            label: 'of all',
            hint: 'Advantage if all rollouts of the pool were normalised together, recomputed for comparison',
            align: 'end',
            minWidth: 48,
            grow: 0.4,
            sorts: 'descending',
            measure: ({ row }) => row.recomputed.advantageOfAll,
            cell: ({ row }) => <span className="dim">{signed(row.recomputed.advantageOfAll)}</span>,
          }),
        ]
      : []),
    number('turns', 'turns', 36, (entry) => entry.rollout?.turns),
    number('toolCalls', 'calls', 34, (entry) => entry.rollout?.toolCalls),
    column({
      id: 'toolErrors',
      label: 'failed',
      hint: 'Tool calls that failed',
      align: 'end',
      minWidth: 38,
      grow: 0.4,
      sorts: 'descending',
      measure: ({ rollout }) => rollout?.toolErrors,
      cell: ({ rollout }) =>
        rollout === undefined ? null : (
          <span className={(rollout.toolErrors ?? 0) > 0 ? 'is-wrong' : undefined}>
            {count(rollout.toolErrors)}
          </span>
        ),
    }),
    ...(hasMalformedCalls
      ? [
          column({
            id: 'malformedCalls',
            label: 'malformed',
            hint: MALFORMED_HINT,
            align: 'end',
            minWidth: 64,
            grow: 0.4,
            sorts: 'descending',
            measure: ({ rollout }) => rollout?.malformedCalls,
            cell: ({ rollout }) => rollout !== undefined && malformedCell(rollout),
          }),
        ]
      : []),
    hasTokens
      ? number(
          'policyTokens',
          'tokens',
          46,
          (entry) => entry.rollout?.policyTokens,
          'Tokens sampled by the policy',
        )
      : number(
          'responseChars',
          'chars',
          46,
          (entry) => entry.rollout?.responseChars,
          'Length of the response in characters; its tokens are not logged',
        ),
    ...(hasStopReason
      ? [
          column({
            id: 'stopReason',
            label: 'stopped by',
            hint: 'Why the rollout ended. Italics: derived by Turnwise. In quotes: a word of the log that has no class',
            minWidth: 62,
            grow: 0.6,
            sorts: 'ascending',
            measure: ({ rollout }) => rollout?.stopReason?.slice(0, 40),
            cell: ({ rollout }) => rollout !== undefined && stopReasonCell(rollout),
          }),
        ]
      : []),
  ];
}

function number(
  id: string,
  label: string,
  minWidth: number,
  measure: (entry: LedgerEntry) => number | undefined,
  hint?: string,
): LedgerColumn {
  return column({
    id,
    label,
    ...(hint === undefined ? {} : { hint }),
    align: 'end',
    minWidth,
    grow: 0.4,
    sorts: 'descending',
    measure,
    cell: (entry) => count(measure(entry)),
  });
}

function scoreColumnOf(name: string): LedgerColumn {
  const value = ({ rollout }: LedgerEntry) => (rollout === undefined ? undefined : scoreOf(rollout, name));
  return column({
    ...scoreColumn(name),
    measure: (entry) => {
      const score = value(entry);
      return score === undefined ? undefined : (scoreRank(score) ?? String(score));
    },
    value,
    cell: (entry) => <Score value={value(entry)} />,
  });
}

function advantageColumn(): LedgerColumn {
  return column({
    id: 'advantage',
    label: 'advantage',
    hint: 'Group-normalised over the kept rollouts; over all rollouts in the tooltip',
    align: 'end',
    minWidth: 62,
    grow: 0.4,
    sorts: 'descending',
    measure: ({ standing }) => standing.advantage,
    cell: (entry) => <AdvantageCell entry={entry} />,
  });
}

function answerColumn(hasLongAnswers: boolean): LedgerColumn {
  return column({
    id: 'answer',
    label: 'answer',
    hint: 'Sorted by its text. The mark shows correct or incorrect; dots below it: derived by comparing answer and ground truth',
    minWidth: 58,
    grow: hasLongAnswers ? 12 : 1,
    sorts: 'ascending',
    measure: ({ rollout }) => rollout?.answer,
    cell: ({ rollout }) =>
      rollout === undefined ? null : (
        <span
          className={
            rollout.isCorrect === undefined ? undefined : rollout.isCorrect ? 'is-right' : 'is-wrong'
          }
          title={plainLogText(rollout.answer ?? '')}
        >
          <RightMark isCorrect={rollout.isCorrect} source={rollout.correctSource} />{' '}
          <AnswerText text={rollout.answer} />
        </span>
      ),
  });
}

function AdvantageCell({ entry }: { readonly entry: LedgerEntry }) {
  const { standing, row } = entry;
  const of = (name: string, value: number | undefined) =>
    value === undefined ? '' : `${name}: ${signed(value, 3)}`;
  const title = [
    of('logged', row.logged?.advantage),
    of('recomputed, over the kept', row.recomputed.advantage),
    of('recomputed, over all', row.recomputed.advantageOfAll),
  ];
  return <span title={title.filter(Boolean).join('\n')}>{signed(standing.advantage)}</span>;
}

const PARTS: readonly { readonly part: PenaltyPart; readonly label: string; readonly width: number }[] = [
  { part: 'pErr', label: 'p_err', width: 54 },
  { part: 'pFormat', label: 'p_format', width: 54 },
  { part: 'penalty', label: 'penalty', width: 86 },
];

/** Width of the last head, which names the source. */
const UNIT_WIDTHS: Readonly<Record<PenaltyKind, number>> = { logged: 86, text: 104, typed: 128 };

function countedWays(kind: keyof typeof PENALTY_LABELS): readonly LedgerColumn[] {
  return PARTS.map(({ part, label, width }) =>
    column({
      id: part,
      label,
      hint: `${PENALTY_LABELS[kind].short}: ${PENALTY_LABELS[kind].words}. ≠ where another way gives another value; italics where the text was reconstructed`,
      ...(part === 'penalty' ? { unit: PENALTY_LABELS[kind].short } : {}),
      align: 'end',
      minWidth: part === 'penalty' ? UNIT_WIDTHS[kind] : width,
      grow: 0.4,
      sorts: 'ascending',
      measure: (entry) => entry[part],
      cell: (entry) =>
        part === 'penalty' ? (
          <b className="counted-penalty">
            <CountedPenalty entry={entry} part={part} />
          </b>
        ) : (
          <CountedPenalty entry={entry} part={part} />
        ),
    }),
  );
}

/** The source of a penalty in a head, and its width there. The hints name the source in full. */
const WAYS: Readonly<Record<PenaltyKind, { readonly source: string; readonly width: number }>> = {
  logged: { source: 'logged', width: 40 },
  text: { source: 'text', width: 24 },
  typed: { source: 'outcomes', width: 56 },
};
const PART_WIDTHS: Readonly<Record<PenaltyPart, number>> = { pErr: 44, pFormat: 62, penalty: 54 };

function allWays(): readonly LedgerColumn[] {
  return PARTS.flatMap(({ part, label }) =>
    PENALTY_KINDS.map((kind) =>
      column({
        id: `${part}.${kind}`,
        label: `${label} ${WAYS[kind].source}`,
        hint: `${part === 'penalty' ? 'p_err + p_format' : label}, ${PENALTY_LABELS[kind].words}`,
        align: 'end',
        minWidth: PART_WIDTHS[part] + WAYS[kind].width,
        grow: 0.2,
        sorts: 'ascending',
        measure: ({ row }) => penaltyPart(row, kind, part),
        cell: (entry) => <WayCell entry={entry} kind={kind} part={part} />,
      }),
    ),
  );
}
