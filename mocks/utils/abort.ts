/** Never resolves; rejects when the request is aborted. */
export function forever(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason as Error);
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

/** Waits for `runOperation`, but not after the request is aborted. */
export async function untilAborted<T>(
  runOperation: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (!signal) return runOperation;
  let stop: () => void = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([runOperation, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
