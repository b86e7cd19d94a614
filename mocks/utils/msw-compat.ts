/** msw 2 reads the one name, msw 3 the other, and each ignores the other's in silence. */
interface Unhandled {
  onUnhandledRequest?: unknown;
  onUnhandledFrame?: unknown;
}

/**
 * Options for `listen()`: a request that nobody handles is an error on both majors, unless `own` says otherwise. A
 * strategy by name ('warn', 'bypass', 'error') holds on both, whichever spelling it was given in; functions differ.
 */
export function failOnUnhandled<T extends object>(own: T | undefined): T & Unhandled {
  const { onUnhandledRequest, onUnhandledFrame } = (own ?? {}) as Unhandled;
  const named =
    [onUnhandledFrame, onUnhandledRequest].find((strategy) => typeof strategy === 'string') ??
    'error';
  return { onUnhandledRequest: named, onUnhandledFrame: named, ...own } as T & Unhandled;
}

/** msw 3 needs what Node 22.12 brought; on an older one it imports well, and then every request fails. */
export function assertNodeSupportsMsw(mswMajor: 2 | 3, node: string): void {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  if (mswMajor === 2 || major > 22 || (major === 22 && minor >= 12)) return;
  throw new Error(
    `msw 3 needs Node 22.12 or newer, this is ${node}: every mocked request would fail with "fetch failed". ` +
      'Use a newer Node, or install msw 2 (npm install -D msw@2), which this package supports as well.',
  );
}

/** What {@link setupMockServer} adds for requests that nobody handled. */
export interface UnhandledRequests {
  /** Requests that no handler answered since the start or the last {@link assertAllHandled}: method and address without its query. */
  readonly unhandled: readonly string[];
  /**
   * Forgets the strays, and fails if there were any. For an `afterEach`: an error of `fetch` alone may be swallowed by the
   * code under test.
   *
   * @throws Error that lists them.
   */
  assertAllHandled(): void;
}

interface UnhandledEvents {
  on(type: 'request:unhandled', listener: (event: { request: Request }) => void): unknown;
}

/** Collects what msw reports as unhandled. */
export function watchUnhandledRequests(events: UnhandledEvents): UnhandledRequests {
  const unhandled: string[] = [];
  events.on('request:unhandled', ({ request }) => {
    const { origin, pathname } = new URL(request.url);
    unhandled.push(`${request.method} ${origin}${pathname}`);
  });
  return {
    unhandled,
    assertAllHandled() {
      const unhandledRequests = unhandled.splice(0);
      if (unhandledRequests.length === 0) return;
      throw new Error(
        `No handler answered ${unhandledRequests.length} request${unhandledRequests.length === 1 ? '' : 's'}:\n  ${unhandledRequests.join('\n  ')}`,
      );
    },
  };
}
