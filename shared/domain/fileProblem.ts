/** Words for the errors of the file system that a user meets. Their codes are those of libuv. */
const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'no permission to read or write it',
  EPERM: 'no permission to read or write it',
  ELOOP: 'it is a link that cannot be followed',
  ENOTDIR: 'a part of its path is a file, not a directory',
  EISDIR: 'it is a directory, not a file',
  ENAMETOOLONG: 'its name is too long',
  ENXIO: 'it is not a regular file',
  ENODEV: 'it is not a regular file',
  EIO: 'the disk reports an error',
  EBUSY: 'another program uses it',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  ENOSPC: 'the disk is full',
  EFBIG: 'it would be larger than its disk or a limit of the system allows',
  EROFS: 'its disk is read-only',
  ESTALE: 'the network drive no longer has it',
  ETIMEDOUT: 'the network drive does not answer',
};

/** @returns undefined if the error is not of the file system */
export function fileProblem(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? WORDS[String(error.code)] : undefined;
}

/** @returns words if the error is of the file system, else its message */
export function messageOfError(error: unknown): string {
  return fileProblem(error) ?? (error instanceof Error ? error.message : String(error));
}
