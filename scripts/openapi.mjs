// Writes openapi.json from the contract.
import { writeFileSync } from 'node:fs';
import { runnerImport } from 'vite';

const { module } = await runnerImport('src/contract/openapi.ts', { configFile: false });
writeFileSync(new URL('../openapi.json', import.meta.url), `${JSON.stringify(module.openApiDocument(), null, 2)}\n`);
