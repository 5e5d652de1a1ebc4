/** Terms on the screen, in plain words. Rules and formulas behind them are in DOMAIN.md. */

export interface GlossaryTerm {
  readonly term: string;
  /** Other words for it, on the screen or in logs. */
  readonly also?: string;
  /** One or two sentences. */
  readonly meaning: string;
  /** Unit or range of its values; left out if it has none. */
  readonly unit?: string;
  /** Its name in the filter language and in SQL. */
  readonly field?: string;
  /** Who defined it. */
  readonly source: string;
}

const TURNWISE = 'Turnwise';
const REPORT = 'rStar2-Agent report (arXiv 2508.20722)';
const RELEASE = 'rStar2-Agent release';
const TRAINERS = 'common in RL trainers';
const EIGHTY_TWENTY = '80/20 paper (arXiv 2506.01939)';
const PASS_AT_K = 'Chen et al. 2021 (arXiv 2107.03374)';

/** In alphabetical order. */
export const GLOSSARY: readonly GlossaryTerm[] = [
  {
    term: 'advantage',
    meaning:
      'How much better a reward is than the mean of its group: (reward − mean) / standard deviation, over the kept rollouts. Every policy token of the rollout gets this value.',
    unit: 'standard deviations',
    field: 'advantage',
    source: 'verl (GRPO)',
  },
  {
    term: 'answer',
    meaning: 'The final answer of a rollout: as logged, else taken from the text.',
    field: 'answer',
    source: TURNWISE,
  },
  {
    term: 'baseline',
    meaning: 'In a comparison: the rollout that the others are compared with.',
    source: TURNWISE,
  },
  {
    term: 'breakpoint',
    meaning:
      'A condition on turns, such as an outcome, a text or a high token. The replay and the comparison list its hits.',
    source: TURNWISE,
  },
  {
    term: 'cluster',
    meaning:
      'A group of incorrect rollouts with similar actions: calls with outcome and error type, their order, how they ended. Found without a model.',
    source: 'k-medoids; Kaufman and Rousseeuw 1990',
  },
  {
    term: 'continuation',
    meaning:
      'A rollout that was sampled from a position in another one, at an endpoint of the user. It is in a run of its own, and graded like the answers of the log.',
    source: TURNWISE,
  },
  {
    term: 'correct',
    also: 'incorrect, right, wrong, solved',
    meaning:
      'Whether the answer was accepted: as logged; else whether the reward is above 0 in a run whose rewards are all 0 or 1; else unknown.',
    field: 'is_correct',
    source: TURNWISE,
  },
  {
    term: 'derived',
    meaning: 'Computed by Turnwise from the text, because the log does not have the value.',
    source: TURNWISE,
  },
  {
    term: 'detector',
    meaning:
      'A documented rule that looks for reward hacking or degeneration. It has a severity, a cause of false positives, and thresholds with their source.',
    source: TURNWISE,
  },
  {
    term: 'entropy',
    meaning:
      'Uncertainty of the next-token distribution at one position: −Σ p ln p. It does not depend on the token that was sampled.',
    unit: 'nats',
    field: 'mean_entropy',
    source: 'information theory; logged by verl as a mean',
  },
  {
    term: 'failure pack',
    meaning: 'A file of selected rollouts with their labels and notes, to share or to learn from.',
    source: TURNWISE,
  },
  {
    term: 'finding',
    meaning: 'A span of a rollout, or steps, in which a detector fired. It is worth reading, and no verdict.',
    source: TURNWISE,
  },
  {
    term: 'flag',
    meaning:
      'An observation about a rollout that a rule made from its text, such as an identical retry. It is not a judgement.',
    field: 'flag',
    source: TURNWISE,
  },
  {
    term: 'fork',
    also: 'fork tree',
    meaning:
      'The first difference between rollouts of the same prompt. The fork tree of a group shows all of them.',
    source: TURNWISE,
  },
  {
    term: 'forking token',
    meaning: 'A high token in reasoning or prose that is not a reflection token.',
    source: `${REPORT} §5.4 names it; the definition is Turnwise's`,
  },
  {
    term: 'ground truth',
    meaning: 'The expected answer of a problem, as logged.',
    field: 'ground_truth',
    source: TRAINERS,
  },
  {
    term: 'group',
    meaning: 'The rollouts of one prompt in one training step. Advantages compare the rollouts of a group.',
    field: 'group_key',
    source: 'GRPO',
  },
  {
    term: 'groups by outcome',
    also: 'group health',
    meaning:
      'How many groups are all correct, all incorrect or mixed. Only mixed groups have non-zero advantages.',
    unit: 'share of groups',
    source: TURNWISE,
  },
  {
    term: 'high token',
    meaning:
      'A policy token whose entropy or surprisal is above a threshold: the highest fifth of a rollout, a quantile of a group, step or run, or a fixed value.',
    source: `${REPORT} §5.4; ${EIGHTY_TWENTY}`,
  },
  {
    term: 'issue',
    also: 'caveat',
    meaning:
      'A record or file that is not in the library, or was not read to its end. A caveat says what a record that is in the library lacks, or that a file was not read because its content is in the library.',
    source: TURNWISE,
  },
  {
    term: 'kept',
    also: 'discarded',
    meaning: 'Whether down-sampling used the rollout for the update or left it out.',
    field: 'kept',
    source: RELEASE,
  },
  {
    term: 'label',
    meaning: 'A name from your taxonomy that a reviewer gave to a rollout or a turn, with a severity.',
    field: 'label',
    source: TURNWISE,
  },
  {
    term: 'latency',
    meaning: 'Time from the request of a tool call to its response, as logged or as the response states it.',
    unit: 'ms',
    field: 'latency_ms',
    source: 'the log',
  },
  {
    term: 'library',
    meaning: 'The file in which Turnwise keeps what it read of your logs. Your log files are never changed.',
    source: TURNWISE,
  },
  {
    term: 'log-probability gap',
    also: 'policy gap',
    meaning:
      'Trainer minus rollout log-probability of a sampled token. Both engines hold the same policy, so a wide gap is a numerical or version mismatch.',
    unit: 'nats',
    source: TRAINERS,
  },
  {
    term: 'logged',
    meaning: 'Written by the trainer or the evaluation, and shown as it is in the log.',
    source: TURNWISE,
  },
  {
    term: 'losing turn',
    also: 'saving turn',
    meaning:
      'The turn with the largest drop of the value by turn. The saving turn has the largest rise. Either may be chance, so the counts stand beside it.',
    source: TURNWISE,
  },
  {
    term: 'loss mask',
    meaning:
      'Marks the tokens that the loss counts: 1 for a token that the policy sampled, 0 for one of the environment.',
    source: TRAINERS,
  },
  {
    term: 'lower bound',
    also: 'upper bound, top-k entropy',
    meaning:
      'If a log lists only the k likeliest tokens, the entropy lies between two bounds. The lower bound assumes that the unlisted probability is spread over as few tokens as possible.',
    unit: 'nats',
    source: TURNWISE,
  },
  {
    term: 'majority@k',
    meaning: 'Expected correctness of the most frequent answer among k samples. Ties are split evenly.',
    unit: '0 to 1',
    source: 'common in evaluations',
  },
  {
    term: 'malformed call',
    meaning:
      'A tool call that is not closed or is not valid JSON, and that no tool answered. It is counted apart from tool calls and failed calls.',
    unit: 'calls',
    field: 'malformed_calls',
    source: RELEASE,
  },
  {
    term: 'McNemar test',
    also: 'p',
    meaning:
      'Whether more problems changed in one direction than chance explains: if both were equally likely, how probable is a split at least as uneven. Problems that stayed the same do not count.',
    unit: '0 to 1',
    source: 'McNemar 1947, exact form',
  },
  {
    term: 'medoid',
    meaning: 'The rollout of a cluster that is most like all others of it.',
    source: 'Kaufman and Rousseeuw 1990',
  },
  {
    term: 'p_err',
    also: 'error penalty',
    meaning:
      'Share of tool responses of a rollout that are errors; 0.5 without tool calls. A call that nothing answered has no response, so it is not counted. The text rule looks for the word "error"; the rule of tool outcomes counts failed calls.',
    unit: '0 to 1',
    field: 'p_err',
    source: `${REPORT} §2.2.3; text rule: ${RELEASE}`,
  },
  {
    term: 'p_format',
    also: 'format penalty',
    meaning:
      'Penalty for answer tags: 1 without an answer, else the number of additional answers divided by the number of turns, at most 1.',
    unit: '0 to 1',
    field: 'p_format',
    source: `${REPORT} §2.2.3`,
  },
  {
    term: 'pass rate',
    meaning: 'Share of correct rollouts among those whose correctness is known.',
    unit: '0 to 1, or %',
    field: 'pass_rate',
    source: TRAINERS,
  },
  {
    term: 'pass@k',
    meaning:
      'Probability that at least one of k samples of a problem is correct: 1 − C(n−c, k) / C(n, k), averaged over problems.',
    unit: '0 to 1',
    source: PASS_AT_K,
  },
  {
    term: 'pass^k',
    meaning:
      'Probability that all of k samples of a problem are correct: C(c, k) / C(n, k), averaged over problems. High if a policy solves a task reliably.',
    unit: '0 to 1',
    source: 'Yao et al. 2024, τ-bench, arXiv 2406.12045',
  },
  {
    term: 'penalty',
    also: 'p_total',
    meaning:
      'The sum p_err + p_format. Resample-on-Correct prefers correct rollouts with a low penalty. It can be logged, recomputed by text rules, or recomputed from tool outcomes.',
    unit: '0 to 2',
    field: 'penalty',
    source: `${REPORT} §2.2.3`,
  },
  {
    term: 'policy',
    also: 'policy tokens',
    meaning:
      'The model that is trained. Policy tokens are the tokens that it generated, without prompts and tool responses.',
    unit: 'tokens',
    field: 'policy_tokens',
    source: TRAINERS,
  },
  {
    term: 'positive',
    also: 'negative',
    meaning:
      'In the paper on Resample-on-Correct: a rollout with a reward above 0, which its screens call correct. All others are negatives.',
    source: RELEASE,
  },
  {
    term: 'problem',
    meaning: 'A prompt with its ground truth, recognised across steps and runs.',
    field: 'problem_id',
    source: TURNWISE,
  },
  {
    term: 'quota',
    meaning:
      'How many correct and incorrect rollouts of a group are kept: the same share of each, rounded, with a minimum for each.',
    unit: 'rollouts',
    source: RELEASE,
  },
  {
    term: 'recomputed',
    meaning: 'Computed by Turnwise with the rule of a trainer, where the log may have another value.',
    source: TURNWISE,
  },
  {
    term: 'reflection token',
    meaning: 'A high token in reasoning or prose, within the first 60 policy tokens after a tool response.',
    source: `${REPORT} §5.4 names it; the definition is Turnwise's`,
  },
  {
    term: 'regressed',
    meaning:
      'A problem whose pass rate at its last step is lower than at its best step before. Both pass rates are over the rollouts of that step whose correctness is known.',
    source: TURNWISE,
  },
  {
    term: 'replay',
    meaning: 'A rollout shown turn by turn, as the policy and the tools wrote it.',
    source: TURNWISE,
  },
  {
    term: 'Resample-on-Correct',
    also: 'RoC',
    meaning:
      'Down-sampling that keeps half of each group: correct rollouts with the lowest penalties, and incorrect ones without a preference.',
    source: `${REPORT} §2.2.3`,
  },
  {
    term: 'review queue',
    meaning: 'Rollouts to read one after another, chosen by a filter and an order.',
    source: TURNWISE,
  },
  {
    term: 'reward',
    meaning: 'The number that the trainer gave to a rollout.',
    field: 'reward',
    source: 'the log',
  },
  {
    term: 'rollout',
    also: 'trajectory, sample, episode',
    meaning: 'One attempt of the policy at a prompt, with all its turns and tool calls.',
    source: TRAINERS,
  },
  {
    term: 'rule set',
    also: 'release, first week, paper',
    meaning:
      'How Resample-on-Correct chooses. release: the code since 5 September 2025. release, first week: the code before, which ranked incorrect rollouts by penalty, too. paper: draws at random, so it has probabilities.',
    source: `${RELEASE}; ${REPORT} §2.2.3`,
  },
  {
    term: 'run',
    meaning: 'The rollouts of one training or one evaluation.',
    source: TRAINERS,
  },
  {
    term: 'score',
    meaning:
      'The value that a scorer of an evaluation gave a rollout, as logged: a number, a word or a grade (C correct, I incorrect, P partial, N no answer). The first scorer’s is also the reward.',
    field: 'scores',
    source: 'Inspect',
  },
  {
    term: 'segment',
    meaning:
      'A part of a turn with one role: reasoning, prose, tool call, tool response, answer or injected text.',
    source: TURNWISE,
  },
  {
    term: 'step',
    meaning: 'One update of the policy. Its rollouts were generated before the update.',
    field: 'step',
    source: TRAINERS,
  },
  {
    term: 'stop reason',
    meaning:
      'Why a rollout ended: answer, length, turn-limit, no-answer, error or aborted. It is logged, or derived from the logged word or the text.',
    field: 'stop_reason',
    source: `${RELEASE}; classes: ${TURNWISE}`,
  },
  {
    term: 'straggler',
    meaning:
      'A rollout that ends after 90 % of its step have ended and takes more than twice the median time.',
    source: TURNWISE,
  },
  {
    term: 'surprisal',
    meaning: 'The negative log-probability of the sampled token, −ln p. It is one noisy draw of the entropy.',
    unit: 'nats',
    source: 'information theory',
  },
  {
    term: 'tie-break',
    meaning:
      'If several correct rollouts have the penalty of the last kept one, rollout order decides which are kept.',
    source: RELEASE,
  },
  {
    term: 'token',
    meaning: 'The unit in which the policy reads and writes text.',
    source: TRAINERS,
  },
  {
    term: 'tool call',
    meaning: 'A call of a tool that the policy wrote and the environment read.',
    unit: 'calls',
    field: 'tool_calls',
    source: TRAINERS,
  },
  {
    term: 'tool error',
    also: 'failed call',
    meaning:
      'A tool call whose response is an exception, a timeout, an infrastructure failure, or an error in reading or dispatching the call. A call without a response is not counted.',
    unit: 'calls',
    field: 'tool_errors',
    source: `${REPORT} §2.1; ${RELEASE}`,
  },
  {
    term: 'truncated',
    meaning: 'The rollout reached its length limit before it ended.',
    field: 'stop_reason',
    source: TRAINERS,
  },
  {
    term: 'turn',
    meaning: 'One message of the policy, followed by the tool responses or user messages it received.',
    unit: 'turns',
    field: 'turns',
    source: TRAINERS,
  },
  {
    term: 'value by turn',
    meaning:
      'The pass rate of continuations from the end of each turn, with its 95 % interval: the chance that the policy that sampled them still gets it right from there.',
    unit: '0 … 1',
    source: 'Monte Carlo value; VinePPO (arXiv 2410.01679)',
  },
  {
    term: 'world size',
    meaning: 'Number of GPUs of the trainer. Its rule trims each batch to a multiple of it.',
    unit: 'GPUs',
    source: 'verl',
  },
];
