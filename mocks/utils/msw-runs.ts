/** msw 3 needs what Node 22.12 brought; on an older one it imports well, and then every request fails. */
export function assertRuns(mswMajor: 2 | 3, node: string): void {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  if (mswMajor === 2 || major > 22 || (major === 22 && minor >= 12)) return;
  throw new Error(
    `msw 3 needs Node 22.12 or newer, this is ${node}: every mocked request would fail with "fetch failed". ` +
      'Use a newer Node, or install msw 2 (npm install -D msw@2), which this package supports as well.',
  );
}
