/** msw 2 reads one of these names, msw 3 the other; each ignores the other's name without a warning. */
interface UnhandledOptions {
  onUnhandledRequest?: unknown;
  onUnhandledFrame?: unknown;
}

/**
 * Options for `listen()`: an unhandled request is an error on both majors, unless `own` says otherwise. A strategy by name
 * ('warn', 'bypass', 'error') holds on both, whichever option it was given in; functions differ between the majors.
 */
export function failOnUnhandled<T extends object>(own: T | undefined): T & UnhandledOptions {
  const { onUnhandledRequest, onUnhandledFrame } = (own ?? {}) as UnhandledOptions;
  const named =
    [onUnhandledFrame, onUnhandledRequest].find((strategy) => typeof strategy === 'string') ??
    'error';
  return { onUnhandledRequest: named, onUnhandledFrame: named, ...own } as T & UnhandledOptions;
}

/** msw 3 needs Node 22.12. On an older Node it can be imported, and then every request fails. */
export function assertNodeSupportsMsw(mswMajor: 2 | 3, node: string): void {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  if (mswMajor === 2 || major > 22 || (major === 22 && minor >= 12)) return;
  throw new Error(
    `msw 3 needs Node 22.12 or newer, this is ${node}: every mocked request would fail with "fetch failed". ` +
      'Use a newer Node, or install msw 2 (npm install -D msw@2), which this package supports as well.',
  );
}

interface UnhandledEvents {
  on(type: 'request:unhandled', listener: (event: { request: Request }) => void): unknown;
  removeAllListeners(...args: unknown[]): unknown;
}

/** Records what msw reports as unhandled, also after `removeAllListeners()`. */
export function recordEvents(events: UnhandledEvents, record: (request: Request) => void): void {
  const subscribe = () => void events.on('request:unhandled', ({ request }) => record(request));
  const removeAllListeners = events.removeAllListeners.bind(events);
  events.removeAllListeners = (...args) => {
    const result = removeAllListeners(...args);
    if (args.length === 0 || args[0] === 'request:unhandled') subscribe();
    return result;
  };
  subscribe();
}
