/** Where the package is. */
// @ts-nocheck

export const root = new URL('../', import.meta.url);

/** What the package exports, by entry. */
export interface Entries {
  readonly index: typeof import('../src/index.js');
  readonly 'fleet/index': typeof import('../src/fleet/index.js');
  readonly 'contract/index': typeof import('../src/contract/index.js');
  readonly 'mocks/index': typeof import('../mocks/index.js');
  readonly 'mocks/server': typeof import('../mocks/server.js');
}

/** Where an entry is in the build. */
export const built = (entry: keyof Entries) => new URL(`dist/${entry}.js`, root).href;

/** Loads an entry of the build. */
export const load = <Name extends keyof Entries>(entry: Name) =>
  import(built(entry)) as Promise<Entries[Name]>;
