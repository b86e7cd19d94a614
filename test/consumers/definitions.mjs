// Where an editor goes from a name of the package: TypeScript's own server over the packed declarations and their maps.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
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

/** Asks a server of TypeScript, which writes one JSON message a line between headers. */
function startServer(folder) {
  const server = spawn('node', [join(folder, 'node_modules/typescript/lib/tsserver.js')], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const waiting = new Map();
  let text = '';
  server.stdout.setEncoding('utf8').on('data', (piece) => {
    text += piece;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      const line = text.slice(0, end);
      text = text.slice(end + 1);
      if (!line.startsWith('{')) continue;
      const { request_seq: sequence, body } = JSON.parse(line);
      waiting.get(sequence)?.(body);
    }
  });
  let sequence = 0;
  const send = (command, values) => {
    const seq = ++sequence;
    server.stdin.write(`${JSON.stringify({ seq, type: 'request', command, arguments: values })}\n`);
    return new Promise((resolve) => waiting.set(seq, resolve));
  };
  return { send, stop: () => server.kill() };
}

export async function checkDefinitions(tarball, typescript) {
  const folder = await project('test/consumers/projects/types', tarball, { typescript });
  const file = join(folder, 'definitions.mts');
  writeFileSync(file, code);
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { module: 'nodenext', types: [] }, files: [file] }),
  );
  const { send, stop } = startServer(folder);
  try {
    void send('open', { file });
    for (const [name, [source, text]] of Object.entries(definitions)) {
      const before = code.slice(0, code.lastIndexOf(name)).split('\n');
      const place = { file, line: before.length, offset: before.at(-1).length + 1 };
      const found = await send('definition', place);
      const [{ file: target, start }] = found;
      assert.ok(
        target.startsWith(join(folder, 'node_modules/petstore-client/dist', source)),
        target,
      );
      const line = readFileSync(target, 'utf8').split('\n')[start.line - 1];
      assert.ok(line.includes(text), `${name}: ${line}`);
    }
  } finally {
    stop();
  }
}
