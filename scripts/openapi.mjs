// Writes openapi.json from the contract; `--check` fails instead when the file is not up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { runnerImport } from 'vite';

const { module } = await runnerImport('mocks/http/openapi.ts', { configFile: false });
const file = new URL('../openapi.json', import.meta.url);
const text = `${JSON.stringify(module.openApiDocument(), null, 2)}\n`;

if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  console.error('openapi.json is not what the contract says. Run: npm run openapi');
  process.exitCode = 1;
}
