// Compares the public surface of each entry with its report in etc/, so that no change of it goes unnoticed.
// `--update` writes the reports instead.
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import entries from './entries.json' with { type: 'json' };

const root = resolve(import.meta.dirname, '..');
const update = process.argv.includes('--update');
const configObjectFullPath = join(root, 'api-extractor.json');
const base = ExtractorConfig.loadFile(configObjectFullPath);
mkdirSync(join(root, 'etc'), { recursive: true });

const changed = Object.keys(entries).filter((entry) => {
  const configObject = structuredClone(base);
  configObject.projectFolder = root;
  configObject.mainEntryPointFilePath = join(root, `dist/${entry}.d.ts`);
  configObject.apiReport.reportFileName = `${entry.replaceAll('/', '-')}.api.md`;
  const config = ExtractorConfig.prepare({
    configObject,
    configObjectFullPath,
    packageJsonFullPath: join(root, 'package.json'),
  });
  const result = Extractor.invoke(config, { localBuild: update });
  return !result.succeeded || (result.apiReportChanged && !update);
});

if (changed.length > 0) {
  console.error(
    `The public surface changed: ${changed.join(', ')}. If that is meant: npm run api:update, and a changeset.`,
  );
  process.exitCode = 1;
}
