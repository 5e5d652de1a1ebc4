/** Ready-made filters for likely errors in rewards and ground truths, with the reason for each. */
export interface SuspectView {
  readonly id: string;
  readonly title: string;
  readonly why: string;
  readonly filter: string;
  /** Without ground truths nothing can be judged, so there is no count. */
  readonly needsTruth?: true;
}

export const SUSPECT_VIEWS: readonly SuspectView[] = [
  {
    id: 'denied',
    title: 'Equal answer, judged incorrect',
    why: 'The answer equals the ground truth, but the rollout is incorrect: a false negative or a timeout of the verifier.',
    filter: 'flag:equals_truth is_correct:false',
    needsTruth: true,
  },
  {
    id: 'granted',
    title: 'Unequal answer, judged correct',
    why: 'Written differently and counted as correct: mostly another notation, sometimes a lenient verifier.',
    filter: 'is_correct:true answer:* ground_truth:* flag:* -flag:equals_truth',
    needsTruth: true,
  },
  {
    id: 'untagged',
    title: 'Correct without an answer tag',
    why: 'The prompt asks for an answer tag, and there is none: the reward found an answer elsewhere.',
    filter: 'is_correct:true flag:no_answer_tag',
  },
  {
    id: 'unboxed',
    title: 'Correct without \\boxed',
    why: 'The answer tag holds no box.',
    filter: 'is_correct:true flag:no_boxed',
  },
  {
    id: 'borrowed',
    title: 'Answer only in tool output',
    why: 'The rewarded answer is in a tool response and nowhere in the policy’s text. Correct rollouts only.',
    filter: 'is_correct:true flag:answer_only_in_output',
  },
  {
    id: 'planted',
    title: 'Ground truth in the code',
    why: 'The code holds the ground truth before any tool response had it. Correct rollouts only.',
    filter: 'is_correct:true flag:truth_in_code',
    needsTruth: true,
  },
  {
    id: 'several',
    title: 'Correct with several boxed values',
    why: 'Different values are boxed; one of them was counted.',
    filter: 'is_correct:true flag:several_answers',
  },
  {
    id: 'lucky',
    title: 'Correct though every call failed',
    why: 'No tool call succeeded, but the answer is correct.',
    filter: 'is_correct:true flag:all_calls_failed',
  },
  {
    id: 'after',
    title: 'Continues after the answer',
    why: 'Reasoning or text after the answer tag.',
    filter: 'flag:reason_after_answer,text_after_answer',
  },
  {
    id: 'retry',
    title: 'Failed call repeated',
    why: 'A failed call repeated character by character.',
    filter: 'flag:identical_retry',
  },
  {
    id: 'ignored',
    title: 'Calls that were not run',
    why: 'Several calls in one turn, of which the environment ran some.',
    filter: 'flag:ignored_calls',
  },
  {
    id: 'loops',
    title: 'Repeats itself',
    why: 'More than half of the whole text repeats earlier lines. Only a hint: checking an answer again repeats text, too. The detector "Degenerate repetition" looks at each segment instead, also for one passage many times in a row, so its count differs.',
    filter: 'flag:repetition',
  },
];
