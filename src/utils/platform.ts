/** The web standards that the client needs, except `fetch`, which can be an option. */
const needed = [
  'AbortController',
  'Headers',
  'ReadableStream',
  'Request',
  'Response',
  'TextDecoder',
  'TextEncoder',
] as const;

/**
 * Decodes UTF-8. It is created when the package is loaded, before ky. In an environment without the web standards, such as
 * jest-environment-jsdom, this throws an error that says what is missing and what to do. ky would say `TextEncoder is not defined`.
 */
export const decoder: TextDecoder = /* @__PURE__ */ checkedDecoder();

function checkedDecoder(): TextDecoder {
  const missing = needed.filter(
    (name) => (globalThis as Record<string, unknown>)[name] === undefined,
  );
  if (missing.length === 0) return new TextDecoder();
  throw new Error(
    `petstore-client needs ${missing.join(', ')}, which this environment does not have. Under Jest with jsdom, use the` +
      ' environment jest-fixed-jsdom, or begin the test file with the comment /** @jest-environment node */',
  );
}

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
