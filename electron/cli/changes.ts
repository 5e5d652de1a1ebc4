import type { ChangedProblem, ProblemChanges, RunSummary } from '../../shared/api/contract.ts';
import { terminalJson, terminalLines } from '../../shared/domain/terminalText.ts';
import { chosenRun } from './chosenRun.ts';
import { type Command, ExpectedError, readArguments, UsageError } from './command.ts';
import { type LibraryHost, withLibraryHost } from './libraryHost.ts';

const help = `usage: turnwise changes [--run R] [--with R] [--from STEP] [--to STEP] [--library FILE] [--json]

Problems that became incorrect, or correct, from one step to another, with an exact McNemar test. A problem counts as
correct at a step if more than half of its rollouts of known correctness are, and as undecided at exactly half.

  --run R            the run before: key, name or number; default: the only run, or the only training run
  --with R           the run after; default: the same run
  --from, --to STEP  default: the first and the last step with rollouts of known correctness
  --library FILE     library file; default: the user's library
  --json             {from: {run, step}, to: {run, step}, compared, stayed_correct, stayed_incorrect, undecided, unknown,
                     only_from, only_to, p_value, became_incorrect: [{problem_id, question, from: {rollout_id, correct,
                     known}, to: {…}}], became_correct: […]}

turnwise export --became writes their rollouts side by side.
Exit codes: 0 done, 1 no such run or step, 2 usage.`;

export const changesCommand: Command = {
  name: 'changes',
  summary: 'list problems that became incorrect or correct between two steps or runs',
  help,
  async run(argv, context) {
    const args = readArguments('changes', argv, {
      run: { type: 'string' },
      with: { type: 'string' },
      from: { type: 'string' },
      to: { type: 'string' },
      library: { type: 'string' },
      json: { type: 'boolean' },
    });
    if (args.positionals.length > 0)
      throw new UsageError(`changes: ${args.positionals[0]} is not an option`, help);
    const named = {
      run: args.string('run'),
      with: args.string('with'),
      from: args.string('from'),
      to: args.string('to'),
    };
    return await withLibraryHost(args.string('library'), context, async (host) => {
      const { from, to } = await comparedSteps(host, named);
      const changes = await host.ask('problem.changes', {
        from: { runId: from.run.runId, step: from.step },
        to: { runId: to.run.runId, step: to.step },
      });
      const text = args.flag('json') ? jsonOf(from, to, changes) : textOf(from, to, changes);
      process.stdout.write(text);
      return 0;
    });
  },
};

export interface ComparedStep {
  readonly run: RunSummary;
  readonly step: number;
}

interface NamedSteps {
  readonly run: string | undefined;
  readonly with: string | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** The steps that the options name. @throws ExpectedError when a run or its steps are missing */
export async function comparedSteps(
  host: LibraryHost,
  named: NamedSteps,
): Promise<{ readonly from: ComparedStep; readonly to: ComparedStep }> {
  const before = await chosenRun(host, named.run);
  const after = named.with === undefined ? before : await chosenRun(host, named.with);
  const [from, to] = [await knownSteps(host, before), await knownSteps(host, after)];
  return {
    from: { run: before, step: stepIn(from, named.from, 'from', from[0]) },
    to: { run: after, step: stepIn(to, named.to, 'to', to.at(-1)) },
  };
}

/** Steps with rollouts whose correctness is known, ascending. */
async function knownSteps(host: LibraryHost, { runId }: RunSummary): Promise<readonly number[]> {
  const steps = await host.ask('step.list', { runId });
  return steps.flatMap(({ step, correctKnown }) => (correctKnown > 0 ? [step] : []));
}

function stepIn(
  steps: readonly number[],
  named: string | undefined,
  option: string,
  otherwise: number | undefined,
): number {
  const step = named === undefined ? otherwise : steps.find((known) => String(known) === named);
  if (step !== undefined) return step;
  if (steps.length === 0) throw new ExpectedError('the correctness of no rollout of this run is known');
  throw new ExpectedError(`no step ${named} for --${option}; the steps are ${steps.join(', ')}`);
}

function jsonOf(from: ComparedStep, to: ComparedStep, changes: ProblemChanges): string {
  const place = ({ run, step }: ComparedStep) => ({ run: run.runKey, step });
  const side = ({ rolloutId, correct, known }: ChangedProblem['from']) => ({
    ...{ rollout_id: rolloutId, correct, known },
  });
  const problem = (changed: ChangedProblem) => ({
    ...{ problem_id: changed.problemId, question: changed.question },
    ...{ from: side(changed.from), to: side(changed.to) },
  });
  const json = {
    ...{ from: place(from), to: place(to), compared: changes.compared },
    ...{ stayed_correct: changes.stayedCorrect, stayed_incorrect: changes.stayedIncorrect },
    ...{ undecided: changes.undecided, unknown: changes.unknown },
    ...{ only_from: changes.onlyFrom, only_to: changes.onlyTo, p_value: changes.pValue },
    became_incorrect: changes.becameIncorrect.map(problem),
    became_correct: changes.becameCorrect.map(problem),
  };
  return `${terminalJson(json)}\n`;
}

function textOf(from: ComparedStep, to: ComparedStep, changes: ProblemChanges): string {
  const { compared, becameIncorrect, becameCorrect, pValue, undecided, unknown, onlyFrom, onlyTo } = changes;
  const name = ({ run, step }: ComparedStep): string => `${run.runKey} step ${step}`;
  const lines = [
    `${name(from)} → ${name(to)}: ${compared} problems compared, ${becameIncorrect.length} became incorrect, ${becameCorrect.length} became correct, exact McNemar p = ${pValue.toPrecision(3)}`,
    `not compared: ${undecided} undecided, ${unknown} of unknown correctness, ${onlyFrom} only before, ${onlyTo} only after`,
  ];
  const list = (title: string, problems: readonly ChangedProblem[]): void => {
    if (problems.length === 0) return;
    lines.push('', title);
    for (const changed of problems) lines.push(problemLine(changed));
  };
  list('became incorrect', becameIncorrect);
  list('became correct', becameCorrect);
  return terminalLines(lines);
}

const QUESTION_CHARS = 60;

function problemLine({ problemId, question, from, to }: ChangedProblem): string {
  const side = ({ correct, known, rolloutId }: ChangedProblem['from']): string =>
    `${correct} of ${known} (rollout ${rolloutId})`;
  const flat = question.replace(/\s+/g, ' ').trim();
  const shown = flat.length > QUESTION_CHARS ? `${flat.slice(0, QUESTION_CHARS).toWellFormed()}…` : flat;
  return `  ${problemId}  ${side(from)} → ${side(to)}  ${shown}`;
}
