/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'an error without a message';
  }
}

/** What `process` gives, such as a module, without an import, which would break bundles for browsers and edge runtimes. */
export function fromNode<T>(read: (process: NodeJS.Process) => T): T | undefined {
  try {
    return read(globalThis.process);
  } catch {
    // There is no `process`, or it throws for unsupported properties, as in Next's edge runtime.
    return undefined;
  }
}

/** The code of a failure of SQLite, which is the last byte of an extended code; `undefined` for any other failure. */
export function sqliteCode(failure: unknown): number | undefined {
  const { errcode } = failure as { errcode?: number };
  return errcode === undefined ? undefined : errcode & 0xff;
}
