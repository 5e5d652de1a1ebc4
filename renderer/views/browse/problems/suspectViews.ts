/** Ready-made views of what may be wrong with rewards and ground truths: filters, and why one would look. */
export interface SuspectView {
  readonly id: string;
  readonly title: string;
  readonly why: string;
  readonly filter: string;
}

export const SUSPECT_VIEWS: readonly SuspectView[] = [
  {
    id: 'denied',
    title: 'Equal answer, no reward',
    why: 'The answer and the ground truth are written alike and the rollout counts as wrong: a false negative of the verifier, or its time-out.',
    filter: 'flag:equals_truth is_correct:false',
  },
  {
    id: 'granted',
    title: 'Unequal answer, rewarded',
    why: 'Written differently and counted as right: mostly other notation, sometimes a verifier that is too kind.',
    filter: 'is_correct:true answer:* ground_truth:* flag:* -flag:equals_truth',
  },
  {
    id: 'untagged',
    title: 'Right without an answer tag',
    why: 'The prompt asks for an answer tag, and there is none: the reward found an answer elsewhere.',
    filter: 'is_correct:true flag:no_answer_tag',
  },
  {
    id: 'unboxed',
    title: 'Right without \\boxed',
    why: 'The answer tag holds no box.',
    filter: 'is_correct:true flag:no_boxed',
  },
  {
    id: 'borrowed',
    title: 'Answer only in tool output',
    why: 'What was rewarded stands in a tool response and nowhere in what the policy wrote: it never gave that answer. Right rollouts alone.',
    filter: 'is_correct:true flag:answer_only_in_output',
  },
  {
    id: 'planted',
    title: 'Ground truth in the code',
    why: 'The code holds the ground truth before any tool response had it. Right rollouts alone.',
    filter: 'is_correct:true flag:truth_in_code',
  },
  {
    id: 'several',
    title: 'Right with several boxed values',
    why: 'Different values are boxed; one of them was counted.',
    filter: 'is_correct:true flag:several_answers',
  },
  {
    id: 'lucky',
    title: 'Right though every call failed',
    why: 'The tool never worked, and the answer is right all the same.',
    filter: 'is_correct:true flag:all_calls_failed',
  },
  {
    id: 'after',
    title: 'Goes on after the answer',
    why: 'Reasoning or text behind the answer tag.',
    filter: 'flag:reason_after_answer,text_after_answer',
  },
  {
    id: 'retry',
    title: 'Failed call made again',
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
    why: 'More than half of the text are lines that stood before. For looking only: re-verification repeats, too.',
    filter: 'flag:repetition',
  },
];
