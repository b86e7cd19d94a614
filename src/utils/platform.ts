import { fromNode } from '../contract/environments.js';

/**
 * Decodes UTF-8. It is created when the package is loaded, before ky. In an environment without the web standards, such as
 * jest-environment-jsdom, this throws an error that says what is missing and what to do. ky would say `TextEncoder is not defined`.
 */
export const decoder: TextDecoder = /* @__PURE__ */ checkedDecoder();

function checkedDecoder(): TextDecoder {
  // Without `fetch`, which can be an option.
  const needed = 'AbortController Headers ReadableStream Request Response TextDecoder TextEncoder';
  const missing = needed
    .split(' ')
    .filter((name) => (globalThis as Partial<Record<string, unknown>>)[name] === undefined);
  if (missing.length === 0) return new TextDecoder();
  throw new Error(
    `petstore-client needs ${missing.join(', ')}, which this environment does not have. Under Jest with jsdom, use the` +
      ' environment jest-fixed-jsdom, or begin the test file with the comment /** @jest-environment node */',
  );
}

/**
 * True in browsers, in their pages and workers: there a request has the `User-Agent` of the browser. False in Node (also with the
 * `window` of jsdom or happy-dom), Deno, Bun and the edge runtimes.
 */
export function isBrowser(): boolean {
  const { navigator } = globalThis as Partial<typeof globalThis>;
  // Bundlers put a `process` without `versions.node` into a page.
  const node = fromNode((process) => process.versions.node);
  return node === undefined && String(navigator?.userAgent).startsWith('Mozilla/');
}

/** True in a page of a browser, and false in its workers. */
export function isBrowserPage(): boolean {
  return isBrowser() && (globalThis as Partial<typeof globalThis>).document !== undefined;
}
