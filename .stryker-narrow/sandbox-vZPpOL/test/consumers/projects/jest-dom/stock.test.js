/** @jest-environment jsdom */
// @ts-nocheck


test('the error at load names what is missing, and the cure', () => {
  expect(document.body).toBeDefined();
  expect(() => require('petstore-client')).toThrow(
    /^petstore-client needs .*TextEncoder, which this environment does not have\. Under Jest with jsdom, use the environment jest-fixed-jsdom, or/,
  );
});
