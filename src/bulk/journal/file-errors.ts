import { ConfigurationError, PetStoreError } from '../../errors/errors.js';

/** Another run has the journal. Nothing was sent: try again when that run has ended. */
export class JournalInUseError extends PetStoreError {
  static override readonly kind: string = 'JournalInUseError';
  override readonly name: string = 'JournalInUseError';
}

const advice: Readonly<Record<string, string>> = {
  EISDIR: 'it is a folder: pass the path of a file',
  ENOENT: 'its folder does not exist: create it',
  ENOTDIR: 'a part of the path is a file, not a folder: pass another path',
  EACCES:
    'there is no permission: change the permissions of the file and its folder, or pass another path',
  EPERM:
    'there is no permission: change the permissions of the file and its folder, or pass another path',
  EROFS: 'the disk cannot be written: pass another path',
  ENOSPC: 'the disk is full: free some space, and run again',
  EDQUOT: 'the disk quota is used up: free some space, and run again',
  EFBIG: 'the file would be too large: raise the limit of file sizes, and run again',
};

/** The error for a journal that cannot be read or written. It has the path, and what to do. */
export function journalError(path: string, failure: unknown): PetStoreError {
  if (failure instanceof PetStoreError) return failure;
  const { code = '', message } = failure as { code?: string; message: string };
  const what = Object.hasOwn(advice, code) ? `${advice[code]} (${code})` : message;
  return new ConfigurationError(`the journal ${path} cannot be used: ${what}`, {
    cause: failure as Error,
  });
}
