/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'an error without a message';
  }
}

/** The code of a failure of SQLite, which is the last byte of an extended code; `undefined` for any other failure. */
export function sqliteCode(failure: unknown): number | undefined {
  const { errcode } = failure as { errcode?: number };
  return errcode === undefined ? undefined : errcode & 0xff;
}
