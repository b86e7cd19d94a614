/** What {@link setupMockServer} adds for requests that nobody handled. */
export interface Strays {
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
export function watchStrays(events: UnhandledEvents): Strays {
  const unhandled: string[] = [];
  events.on('request:unhandled', ({ request }) => {
    const { origin, pathname } = new URL(request.url);
    unhandled.push(`${request.method} ${origin}${pathname}`);
  });
  return {
    unhandled,
    assertAllHandled() {
      const strays = unhandled.splice(0);
      if (strays.length === 0) return;
      throw new Error(`No handler answered ${strays.length} request${strays.length === 1 ? '' : 's'}:\n  ${strays.join('\n  ')}`);
    },
  };
}
