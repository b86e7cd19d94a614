// @ts-nocheck
// Where an editor goes from a name of the package: TypeScript's own server over the packed declarations and their maps.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { project } from '../packed/project.mjs';

const code = `import { NotFoundError, PetStoreClient } from 'petstore-client';
import { NewPetSchema } from 'petstore-client/contract';

const client = new PetStoreClient();
client.listPets();
export { NotFoundError, NewPetSchema };
`;

/** By the name: the source that defines it, or its folder, and what stands on the line. */
const definitions = {
  listPets: ['src/client.ts', 'listPets(query'],
  NotFoundError: ['src/errors/', 'class NotFoundError'],
  NewPetSchema: ['src/contract/schemas.ts', 'const NewPetSchema'],
};

/** Asks a server of TypeScript, which writes its answers between headers, one JSON message a line. */
function ask(folder, requests) {
  const server = join(folder, 'node_modules/typescript/lib/tsserver.js');
  const input = requests.map(([command, values], seq) =>
    JSON.stringify({ seq, type: 'request', command, arguments: values }),
  );
  const { stdout } = spawnSync('node', [server], { cwd: folder, input: `${input.join('\n')}\n` });
  const messages = String(stdout)
    .split('\n')
    .filter((line) => line.startsWith('{'));
  return messages.map((line) => JSON.parse(line)).filter(({ type }) => type === 'response');
}

export async function checkDefinitions() {
  const folder = await project('test/consumers/projects/types', 'typescript');
  const file = join(folder, 'definitions.mts');
  writeFileSync(file, code);
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { module: 'nodenext', types: [] }, files: [file] }),
  );
  const places = Object.keys(definitions).map((name) => {
    const before = code.slice(0, code.lastIndexOf(name)).split('\n');
    return { file, line: before.length, offset: before.at(-1).length + 1 };
  });
  const questions = places.map((place) => ['definition', place]);
  const answers = ask(folder, [['open', { file }], ...questions]);
  for (const [at, [name, [source, text]]] of Object.entries(definitions).entries()) {
    const [{ file: target, start }] = answers.find((one) => one.request_seq === at + 1).body;
    assert.ok(target.startsWith(join(folder, 'node_modules/petstore-client/dist', source)), target);
    const line = readFileSync(target, 'utf8').split('\n')[start.line - 1];
    assert.ok(line.includes(text), `${name}: ${line}`);
  }
}
