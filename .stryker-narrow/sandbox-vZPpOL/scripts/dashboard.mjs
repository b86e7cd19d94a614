// @ts-nocheck
// Bundles the page of the mock, with preact and htm, for the places that read mocks/control/dashboard/files.ts: the build and the tests.
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';

const { outputFiles, metafile } = await build({
  entryPoints: ['mocks/control/dashboard/app.js'],
  absWorkingDir: new URL('..', import.meta.url).pathname,
  outdir: 'dashboard',
  bundle: true,
  minify: true,
  lineLimit: 160,
  format: 'esm',
  target: 'es2022',
  legalComments: 'none',
  metafile: true,
  write: false,
});
const text = (end) => outputFiles.find(({ path }) => path.endsWith(end)).text;

/** For `define` of esbuild, tsup and Vite. */
export const define = {
  dashboardFiles: JSON.stringify({
    page: readFileSync(new URL('../mocks/control/dashboard/index.html', import.meta.url), 'utf8'),
    script: text('.js'),
    style: text('.css'),
  }),
};

/** The files that were bundled, for the list of licences. */
export const sources = Object.keys(metafile.inputs);
