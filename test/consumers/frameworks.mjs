// Bundlers, and Next.
import { checkBundler } from './bundles.mjs';
import { checkNext } from './next.mjs';

export function stepsOf(tarball, version) {
  return [
    {
      name: 'next',
      where: `Next ${version('next')}`,
      what: 'a page rendered by the build, a route in Node, a route in the edge runtime',
      work: () => checkNext(tarball),
    },
    ...['vite', 'webpack', 'esbuild'].map((bundler) => ({
      name: bundler,
      where: `${bundler} ${version(bundler)}`,
      what: 'client alone, without the code of mocks or msw; unused imports dropped; app on the in-memory service',
      work: () => checkBundler(bundler, tarball),
    })),
  ];
}
