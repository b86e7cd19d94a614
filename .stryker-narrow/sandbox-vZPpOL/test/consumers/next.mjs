// @ts-nocheck
// Next: a page rendered at build time, a route of Node and one of the edge runtime.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pinned } from '../../tools/install.mjs';
import { project } from '../packed/project.mjs';
import { run } from '../packed/run.mjs';

const tools = ['next', 'react', 'react-dom', '@swc/helpers', 'styled-jsx'];
const env = { NEXT_TELEMETRY_DISABLED: '1', CI: '1' };

async function checkNext() {
  const folder = await project('test/consumers/projects/next', ...tools);
  const program = join(folder, 'node_modules/next/dist/bin/next');
  await run('node', [program, 'build'], { cwd: folder, env, timeout: 180_000 });

  const server = spawn('node', [program, 'start', '--port', '0', '--hostname', '127.0.0.1'], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (data) => (said += data));
  const get = async (path) => {
    const text = await (await fetch(`${url}${path}`)).text();
    assert.match(text, /pets/, `${path} answers ${text}\n${said}`);
    return text;
  };
  let url;
  try {
    url = await new Promise((resolve, reject) => {
      server.once('exit', () => reject(new Error(`next start ended:\n${said}`)));
      server.stdout.on('data', () => {
        const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
        if (address && said.includes('Ready')) resolve(address);
      });
    });
    assert.match(await get('/'), /pets on the page: 3/);
    assert.deepEqual(JSON.parse(await get('/api/pets')), { pets: 3, missing: true });
    assert.deepEqual(JSON.parse(await get('/edge')), { pets: 3, missing: 'NotFoundError' });
  } finally {
    server.kill('SIGKILL');
  }
}

export const steps = [
  {
    name: 'next',
    where: `Next ${pinned('next')}`,
    what: 'a page rendered by the build, a route in Node, a route in the edge runtime',
    work: checkNext,
  },
];
