/**
 * A function that remembers its last result, for the rollouts of a record or of a group, which share a prompt and a
 * ground truth: a short record may have thousands of rollouts, and one long prompt.
 *
 * @param of must not depend on anything but its argument, which must not change
 */
export function rememberLast<Argument, Result>(
  of: (argument: Argument) => Result,
): (argument: Argument) => Result {
  let last: { readonly argument: Argument; readonly result: Result } | undefined;
  return (argument) => {
    if (last === undefined || last.argument !== argument) last = { argument, result: of(argument) };
    return last.result;
  };
}
