interface Globals {
  readonly process?: { readonly versions?: { readonly node?: unknown } };
  readonly window?: { readonly document?: unknown };
  readonly navigator?: { readonly userAgent?: unknown };
}

/**
 * True in a page of a browser. False in workers, in Node (also with the `window` of jsdom or happy-dom), Deno, Bun and the edge
 * runtimes.
 */
export function isBrowserPage(): boolean {
  const { process, window, navigator } = globalThis as Globals;
  // Bundlers put a `process` without `versions.node` into a page.
  return (
    process?.versions?.node === undefined &&
    window?.document !== undefined &&
    navigator !== undefined
  );
}

/** True in browsers, in their pages and workers: there a request has the `User-Agent` of the browser. */
export function isBrowser(): boolean {
  const { process, navigator } = globalThis as Globals;
  return (
    process?.versions?.node === undefined && String(navigator?.userAgent).startsWith('Mozilla/')
  );
}
