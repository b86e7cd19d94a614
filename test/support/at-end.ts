const works: (() => unknown)[] = [];

/** Does what was left: `setup.ts` calls it after each test file. */
export async function doAtEnd(): Promise<void> {
  for (const work of works.splice(0).reverse()) await work();
}

/** Leaves work for the end of the test file; what is left last is done first. */
export function atEnd(work: () => unknown): void {
  works.push(work);
}
