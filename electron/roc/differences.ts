/**
 * Finds groups where log and recomputation differ, with the likely cause. Tries one change of the basis at
 * a time until the rules decide as logged.
 */
import type {
  DifferenceCause,
  GroupLedger,
  LedgerRow,
  PenaltyKind,
  RocBasis,
} from '../../shared/api/rocRows.ts';
import { RESAMPLE_RULES, type ResampleRule, RULE_NAMES } from '../../shared/domain/downSampling.ts';
import type { GroupDecision } from '../../shared/domain/resample.ts';
import type { PoolRecord } from '../storage/queries/pool.ts';
import { isStated } from './basis.ts';

interface Recomputation {
  readonly basis: RocBasis;
  /** Decides the group under another basis. */
  readonly decide: (basis: RocBasis) => GroupDecision;
}

export type Cause = { readonly code: DifferenceCause; readonly sentence: string };

/** The decisions about a rollout that are compared. */
type ComparedRow = Pick<LedgerRow, 'logged'> & {
  readonly recomputed: Pick<LedgerRow['recomputed'], 'kept' | 'isTie'>;
};

interface Differences extends Readonly<GroupLedger['differences']> {
  /** Decides the group exactly as logged. */
  readonly asLogged?: RocBasis;
}

/** Whether a rule ranks incorrect rollouts by penalty. `paper` samples them instead. */
const RANKS_INCORRECT: Readonly<Record<ResampleRule, boolean | undefined>> = {
  release: false,
  'release-first-week': true,
  paper: undefined,
};

const orderOf = (rule: ResampleRule): string =>
  RANKS_INCORRECT[rule] === true
    ? 'it keeps the incorrect rollouts of lowest penalty, not the first ones in rollout order'
    : 'it keeps the first incorrect rollouts in rollout order, not those of lowest penalty';

const PENALTY_TEXTS: Readonly<Record<PenaltyKind, string>> = {
  logged: 'the logged penalties',
  text: 'the penalties of the release’s text rules',
  typed: 'the penalties of typed outcomes',
};

export function differencesOf(
  records: readonly PoolRecord[],
  rows: readonly ComparedRow[],
  recomputation: Recomputation,
): Differences {
  const differing = rows.filter(({ logged, recomputed }) => differ(logged?.kept, recomputed.kept));
  if (differing.length === 0) return { rows: 0, causes: [] };
  const causes: Cause[] = [];
  const { basis } = recomputation;
  if (!isStated(basis)) {
    const sentence =
      'The run logged decisions but no down-sampling configuration, and the defaults do not reproduce them.';
    causes.push({ code: 'configuration_unknown', sentence });
  }
  const alternative = alternativeOf(records, recomputation);
  if (alternative !== undefined) causes.push(alternative.cause);
  else if (differing.every(isTied)) {
    const sentence =
      'Only rollouts with equal penalty at the cut differ: the trainer saw them in another order, for example after balancing.';
    causes.push({ code: 'tie', sentence });
  }
  const configured = basis.settings.down_sample_to_n;
  if (records.some(({ reward }) => reward === null) || records.length < configured) {
    const sentence = 'Rollouts or rewards of the pool are missing from the logs.';
    causes.push({ code: 'pool_incomplete', sentence });
  }
  if (causes.length === 0) {
    const sentence = 'No known rule or penalty decides as logged.';
    causes.push({ code: 'unexplained', sentence });
  }
  const asLogged = alternative?.basis;
  return { rows: differing.length, causes, ...(asLogged === undefined ? {} : { asLogged }) };
}

const differ = (a: boolean | undefined, b: boolean | undefined): boolean =>
  a !== undefined && b !== undefined && a !== b;

function isTied({ logged, recomputed }: ComparedRow): boolean {
  return recomputed.isTie || logged?.reason?.endsWith('_tie') === true;
}

interface Alternative {
  readonly cause: Cause;
  /** Absent: the log says that another rule decided, but not which. */
  readonly basis?: RocBasis;
}

/** The smallest change of the basis that decides the group exactly as logged. */
function alternativeOf(
  records: readonly PoolRecord[],
  { basis, decide }: Recomputation,
): Alternative | undefined {
  const rules: readonly ResampleRule[] = RESAMPLE_RULES.filter((rule) => rule !== 'paper');
  const penalties: readonly PenaltyKind[] = ['logged', 'text', 'typed'];
  const isLogged = (under: RocBasis): boolean => {
    const { rows } = decide(under);
    return records.every(({ kept }, i) => kept === null || rows[i]?.kept === (kept === 1));
  };
  for (const penalty of penalties) {
    const other = { ...basis, penalty };
    if (penalty !== basis.penalty && isLogged(other)) {
      const sentence = `With ${PENALTY_TEXTS[penalty]} the same rule decides as logged.`;
      return { cause: { code: 'penalties_differ', sentence }, basis: other };
    }
  }
  for (const rule of rules) {
    if (rule === basis.rule) continue;
    for (const penalty of [basis.penalty, ...penalties.filter((other) => other !== basis.penalty)]) {
      const other: RocBasis = { ...basis, rule, ruleSource: 'inferred', penalty };
      if (!isLogged(other)) continue;
      const with_ = penalty === basis.penalty ? '' : ` with ${PENALTY_TEXTS[penalty]}`;
      const difference = RANKS_INCORRECT[rule] === RANKS_INCORRECT[basis.rule] ? '' : `: ${orderOf(rule)}`;
      const sentence = `The rule “${RULE_NAMES[rule]}”${with_} decides as logged${difference}.`;
      return { cause: { code: 'other_rule', sentence }, basis: other };
    }
  }
  const { settings } = basis;
  const untruncated = { ...basis, settings: { ...settings, world_size: 1 } };
  if (settings.world_size !== 1 && isLogged(untruncated)) {
    const sentence = `Without the truncation to a multiple of ${settings.world_size} the rule decides as logged.`;
    return { cause: { code: 'world_size', sentence }, basis: untruncated };
  }
  if (
    records.some(({ reason }) => reason === 'discarded_world_size_truncation') &&
    settings.world_size === 1
  ) {
    const sentence = 'The log mentions a world-size truncation, but the configuration has no world size.';
    return { cause: { code: 'world_size', sentence } };
  }
  return undefined;
}
