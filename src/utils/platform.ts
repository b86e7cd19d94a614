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
