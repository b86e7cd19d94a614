// @ts-nocheck
// Runs a bench of this folder, on the Node that runs this.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setup, toolFolder } from '../tools/install.mjs';

await import('../scripts/ensure-build.mjs');
await setup();
const [bench, ...options] = process.argv.slice(2);
const main = join(import.meta.dirname, bench, 'main.ts');
const tsx = join(toolFolder('tsx'), 'dist/cli.mjs');
const { status } = spawnSync(process.execPath, [tsx, main, ...options], { stdio: 'inherit' });
process.exitCode = status ?? 1;
