/** The version of the package. `scripts/write-version.mjs` copies it from package.json, and a test compares the two. */
// @ts-nocheck

export const version = '0.0.0';
