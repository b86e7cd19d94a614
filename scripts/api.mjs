// Compares the public surface of each entry with its report in etc/, so that no change of it goes unnoticed.
// `--update` writes the reports instead.
import { CompilerState, Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import entries from './entries.json' with { type: 'json' };
import { undocumented } from './field-docs.mjs';

const root = resolve(import.meta.dirname, '..');
const update = process.argv.includes('--update');
const configObjectFullPath = join(root, 'config/api-extractor.json');
const base = ExtractorConfig.loadFile(configObjectFullPath);
const written = join(root, 'temp/api/written');
rmSync(written, { recursive: true, force: true });
mkdirSync(written, { recursive: true });
mkdirSync(join(root, 'etc'), { recursive: true });

const linesOf = (text) => text.split('\n').sort().join('\n');

/** The declarations of an entry, which the build made. */
const declarationsOf = (entry) => join(root, `dist/${entry}.d.ts`);
/** One program for all entries: most of their types are shared. */
let compilerState;

const changed = Object.keys(entries).filter((entry) => {
  const configObject = structuredClone(base);
  configObject.projectFolder = root;
  configObject.mainEntryPointFilePath = declarationsOf(entry);
  const name = `${entry.replaceAll('/', '-')}.api.md`;
  configObject.apiReport.reportFileName = name;
  configObject.apiReport.reportFolder = written;
  const config = ExtractorConfig.prepare({
    configObject,
    configObjectFullPath,
    packageJsonFullPath: join(root, 'package.json'),
  });
  compilerState ??= CompilerState.create(config, {
    additionalEntryPoints: Object.keys(entries).map(declarationsOf),
  });
  const { errorCount } = Extractor.invoke(config, {
    compilerState,
    localBuild: true,
    // Each report is a new file there, which is not worth a warning.
    messageCallback: (message) => {
      message.handled ||= message.messageId === 'console-api-report-created';
    },
  });
  // What differs between builds of the same code: the name of a file that entries share, which ends in a hash, the place in that
  // file, and the order of literals and of inferred properties, which TypeScript takes from what it has checked before.
  const text = readFileSync(join(written, name), 'utf8')
    .replaceAll(/-[\w-]{8}(\.d\.c?ts):[\d:]+/g, '$1')
    .replaceAll(/"[^"\n]*"(?: \| "[^"\n]*")+/g, (union) => union.split(' | ').sort().join(' | '));
  const report = join(root, 'etc', name);
  if (update) writeFileSync(report, text);
  return (
    errorCount > 0 || !existsSync(report) || linesOf(readFileSync(report, 'utf8')) !== linesOf(text)
  );
});

if (changed.length > 0) {
  console.error(
    `The public surface changed: ${changed.join(', ')}. If that is meant: npm run api:update, and a changeset.`,
  );
  process.exitCode = 1;
}

const fields = undocumented(Object.keys(entries).map(declarationsOf));
if (fields.length > 0) {
  console.error(`An editor shows no comment for the public fields ${fields.join(', ')}.`);
  process.exitCode = 1;
}
