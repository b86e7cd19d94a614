/** msw 2 reads the one name, msw 3 the other, and each ignores the other's in silence. */
interface Unhandled {
  onUnhandledRequest?: unknown;
  onUnhandledFrame?: unknown;
}

/**
 * Options for `listen()`: a request that nobody handles is an error on both majors, unless `own` says otherwise. A
 * strategy by name ('warn', 'bypass', 'error') holds on both, whichever spelling it was given in; functions differ.
 */
export function strict<T extends object>(own: T | undefined): T & Unhandled {
  const { onUnhandledRequest, onUnhandledFrame } = (own ?? {}) as Unhandled;
  const named = [onUnhandledFrame, onUnhandledRequest].find((strategy) => typeof strategy === 'string') ?? 'error';
  return { onUnhandledRequest: named, onUnhandledFrame: named, ...own } as T & Unhandled;
}
