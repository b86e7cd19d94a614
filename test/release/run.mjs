// The whole release on this machine: changeset, version, changelog, publish to a registry on loopback, install by four
// package managers, then import, require, types and the program. `npm run release:rehearsal`.
import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setup } from '../../tools/install.mjs';
import { temporaryFolder } from '../packed/pack.mjs';
import { run } from '../packed/run.mjs';
import { runSteps } from '../packed/steps.mjs';
import { startRegistry } from './registry.mjs';
import { managers } from './managers.mjs';

const root = resolve(import.meta.dirname, '../..');
const home = temporaryFolder();
await setup();

const checkout = join(home, 'checkout');
const registry = await startRegistry(join(home, 'registry'));
const npmrc = join(home, 'npmrc');
writeFileSync(
  npmrc,
  `registry=${registry.url}\n${registry.url.slice(5)}:_authToken=${registry.token}\nfund=false\naudit=false\n`,
);

/** What the release workflow sets. The registry on loopback knows no provenance, which GitHub signs. */
const workflow = {
  GITHUB_SERVER_URL: 'https://git.example',
  GITHUB_REPOSITORY: 'pets/petstore-client',
  RELEASE: '1',
  NPM_CONFIG_USERCONFIG: npmrc,
  npm_config_registry: registry.url,
};
const inCheckout = (command, args) =>
  run(command, args, { cwd: checkout, env: workflow, timeout: 300_000 });
const manifest = () => JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'));
let version;

/** Packs where that must be refused, with a reason. */
const refusesToPack = (name, reason, prepare = () => undefined) => ({
  name,
  async work() {
    await prepare();
    const failure = await inCheckout('npm', ['pack', '--dry-run']).then(() => undefined, String);
    assert.match(failure ?? '', reason);
  },
});

const steps = [
  {
    name: 'checkout',
    async work() {
      const list = ['ls-files', '-co', '--exclude-standard', '-z'];
      const { stdout } = await run('git', list, { cwd: root });
      for (const file of stdout.split('\0').filter((name) => name && existsSync(join(root, name))))
        cpSync(join(root, file), join(checkout, file), { recursive: true });
      symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
      const author = '-c user.name=release -c user.email=release@pets.example';
      for (const args of ['init -q -b main', 'add -A', `${author} commit -qm Release`])
        await inCheckout('git', args.split(' '));
    },
  },
  refusesToPack('no pack without a build', /cannot pack: missing: .*npm run build/),
  {
    name: 'version and changelog',
    async work() {
      const before = manifest().version;
      await inCheckout('npm', ['run', '--silent', 'version-packages']);
      ({ version } = manifest());
      assert.notEqual(version, before);
      const log = readFileSync(join(checkout, 'CHANGELOG.md'), 'utf8');
      assert.match(log, new RegExp(`^# petstore-client\n\n## ${version.replaceAll('.', '\\.')}\n`));
      return `${before} → ${version}`;
    },
  },
  refusesToPack('no release without repository', /has no repository, homepage, bugs/, () =>
    cpSync(join(root, 'dist'), join(checkout, 'dist'), { recursive: true }),
  ),
  {
    name: 'publish',
    async work() {
      const { stdout, stderr } = await inCheckout('npm', ['run', 'release']);
      assert.doesNotMatch(stderr, /npm warn publish/i, `npm corrected the manifest: ${stderr}`);
      const published = await (await fetch(`${registry.url}petstore-client`)).json();
      const latest = published.versions[published['dist-tags'].latest];
      assert.equal(latest.version, version);
      assert.equal(latest.repository.url, 'git+https://git.example/pets/petstore-client.git');
      assert.ok(latest.homepage && latest.bugs && latest.bin['petstore-mock']);
      assert.match(stdout + stderr, new RegExp(version.replaceAll('.', '\\.')));
      return `${version} on the registry`;
    },
  },
  ...managers.map((manager) => ({
    name: `install by ${manager.name}`,
    async work() {
      const folder = join(home, manager.name);
      cpSync(join(import.meta.dirname, 'project'), folder, { recursive: true });
      await manager.install(folder, `petstore-client@${version}`, registry.url, npmrc);
      const exec = (args) => manager.exec(folder, args);
      assert.equal((await exec(['node', 'app.mjs'])).stdout.trim(), '3 pets');
      assert.equal((await exec(['node', 'app.cjs'])).stdout.trim(), '3 pets');
      assert.equal((await exec(['petstore-mock', '--version'])).stdout.trim(), version);
      await manager.types(folder);
    },
  })),
];

await runSteps(steps);
registry.stop();
