/** Files that a cancelled or killed job did not read to their end, and how each can be continued. */
import type { UnreadFile } from '../../shared/api/contract.ts';
import { shellWord } from '../../shared/domain/shellWord.ts';
import { isBelow } from '../data/follows.ts';
import { bytes, counted } from '../ui/numbers.ts';

/** Groups unread files by how they can be continued. A page may only read what was opened in this session. */
export function unreadByWay(files: readonly UnreadFile[], granted: readonly string[]) {
  const direct = files.filter(({ hasAdapter }) => !hasAdapter);
  const isOpened = ({ path }: UnreadFile): boolean => granted.some((root) => isBelow(path, root));
  return {
    adapted: files.filter(({ hasAdapter }) => hasAdapter),
    opened: direct.filter(isOpened),
    others: direct.filter((file) => !isOpened(file)),
  };
}

/** How much of the files was read. For a compressed file the number of bytes read is unknown. */
export function readBefore(files: readonly UnreadFile[]): string {
  const sum = (of: (file: UnreadFile) => number): number =>
    files.reduce((total, file) => total + of(file), 0);
  const all = bytes(sum((file) => file.bytes));
  const records = sum((file) => file.records);
  if (records === 0) return `${all} to read`;
  const isCompressed = files.some(({ bytesRead }) => bytesRead === undefined);
  return isCompressed
    ? `${counted(records, 'record')} read so far, of ${all}`
    : `${bytes(sum(({ bytesRead = 0 }) => bytesRead))} of ${all} read so far`;
}

/** The command that continues a file. It reads all files that need no adapter, or all that need one. */
export function continueCommand({ hasAdapter }: UnreadFile, libraryPath: string): string {
  const command = `turnwise ingest --continue --library ${shellWord(libraryPath)}`;
  return hasAdapter ? `${command} --adapter COMMAND` : command;
}

interface OnlyByCommandProps {
  /** All of them were read with an adapter, or none. */
  readonly files: readonly UnreadFile[];
  readonly libraryPath: string;
}

/** Names the command that continues files that this page cannot continue. */
export function OnlyByCommand({ files, libraryPath }: OnlyByCommandProps) {
  const isOne = files.length === 1;
  const [first] = files;
  const command = first === undefined ? '' : continueCommand(first, libraryPath);
  return first?.hasAdapter === true ? (
    <>
      {isOne ? 'It needs its adapter' : 'They need their adapter'}, which only the command line can run:{' '}
      <code>{command}</code>
    </>
  ) : (
    <>
      {isOne ? 'It was' : 'They were'} opened in an earlier session. Open the directory again, or run{' '}
      <code>{command}</code>
    </>
  );
}
