/** The same list from a shell. */
interface Asked {
  readonly filter: string;
  readonly runKey: string | undefined;
  readonly libraryPath: string | undefined;
}

export function commandLine({ filter, runKey, libraryPath }: Asked): string {
  const parts = ['turnwise rollouts'];
  // With a sign between: what begins with a dash would be taken for an option.
  if (libraryPath !== undefined) parts.push(`--library=${shellWord(libraryPath)}`);
  if (runKey !== undefined) parts.push(`--run=${shellWord(runKey)}`);
  if (filter !== '') parts.push(`--filter=${shellWord(filter)}`);
  return parts.join(' ');
}

/** One word for a POSIX shell, whatever it holds. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
