// @ts-nocheck
// A registry on loopback. What it does not hold itself it asks of the registry that npm is set up with.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../packed/free-port.mjs';

const verdaccio = join(import.meta.dirname, 'node_modules/verdaccio/bin/verdaccio');

/** Starts the registry in `folder`, and resolves with its address once it answers. */
export async function startRegistry(folder) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const npmConfig = (name) =>
    execFileSync('npm', ['config', 'get', name], { encoding: 'utf8' }).trim();
  const uplink = npmConfig('registry');
  // npm reads its certificates from its configuration, Node from the environment.
  const certificates = npmConfig('cafile');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'config.yaml'),
    `storage: ./storage
auth: { htpasswd: { file: ./htpasswd, max_users: 1 } }
uplinks: { upstream: { url: '${uplink}', timeout: 60s } }
packages:
  petstore-client: { access: $all, publish: $authenticated }
  '**': { access: $all, proxy: upstream }
log: { type: stdout, format: pretty, level: error }
`,
  );
  const args = [verdaccio, '--config', 'config.yaml', '--listen', `127.0.0.1:${port}`];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: existsSync(certificates)
      ? { ...process.env, NODE_EXTRA_CA_CERTS: certificates }
      : process.env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  process.on('exit', () => child.kill('SIGKILL'));
  for (let attempt = 0; !(await answers(url)); attempt += 1) {
    if (attempt === 120 || child.exitCode !== null) throw new Error('the registry did not start');
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return { url, token: await tokenOf(url), stop: () => child.kill('SIGKILL') };
}

/** Makes the registry's only user, who may publish. */
async function tokenOf(url) {
  const response = await fetch(`${url}-/user/org.couchdb.user:rehearsal`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'rehearsal', password: crypto.randomUUID() }),
  });
  return (await response.json()).token;
}

async function answers(url) {
  return fetch(`${url}-/ping`)
    .then(({ ok }) => ok)
    .catch(() => false);
}
