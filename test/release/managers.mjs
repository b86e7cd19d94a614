// The package managers, each as its users call it.
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pinned, toolFolder } from '../../tools/install.mjs';
import { run } from '../packed/run.mjs';

const bin = (name) => join(import.meta.dirname, 'node_modules/.bin', name);
const timeout = 300_000;
const inModules = (folder, [command, ...args]) =>
  run(command === 'node' ? process.execPath : join(folder, 'node_modules/.bin', command), args, {
    cwd: folder,
    timeout,
  });

const types = (cwd) => {
  symlinkSync(toolFolder('typescript'), join(cwd, 'typescript'));
  return run(process.execPath, [join(cwd, 'typescript/bin/tsc'), '-p', cwd], { cwd, timeout });
};

/** How most of them run what they have installed, and check types with it. */
const usual = { types, exec: inModules };

export const managers = [
  {
    name: 'npm',
    install: (cwd, spec, _registry, npmrc) =>
      run('npm', ['install', spec], { cwd, env: { NPM_CONFIG_USERCONFIG: npmrc }, timeout }),
  },
  {
    name: 'pnpm',
    install(cwd, spec, registry) {
      const options = [`--registry=${registry}`, `--store-dir=${join(cwd, '.store')}`];
      return run(bin('pnpm'), ['add', spec, ...options], { cwd, timeout });
    },
  },
  {
    // Plug'n'Play, Yarn's default: nothing is laid into node_modules.
    name: 'yarn',
    async install(cwd, spec, registry) {
      writeFileSync(
        join(cwd, '.yarnrc.yml'),
        `npmRegistryServer: '${registry}'\nunsafeHttpWhitelist: ['127.0.0.1']\nenableGlobalCache: false\nenableTelemetry: false\nenableScripts: false\nnpmMinimalAgeGate: 0\nglobalFolder: ./.yarn/global\n`,
      );
      writeFileSync(join(cwd, 'yarn.lock'), '');
      await run(bin('yarn'), ['add', spec, `typescript@${pinned('typescript')}`], {
        cwd,
        env: { YARN_ENABLE_IMMUTABLE_INSTALLS: 'false' },
        timeout,
      });
    },
    /** TypeScript resolves packages under Plug'n'Play only when Yarn has installed and patched it. */
    types: (cwd) => run(bin('yarn'), ['tsc', '-p', '.'], { cwd, timeout }),
    exec: (cwd, args) =>
      run(bin('yarn'), args[0] === 'node' ? args : ['run', ...args], { cwd, timeout }),
  },
  {
    name: 'bun',
    async install(cwd, spec, registry) {
      writeFileSync(
        join(cwd, 'bunfig.toml'),
        `[install]\nregistry = "${registry}"\ncache = false\n`,
      );
      await run(bin('bun'), ['add', spec], { cwd, timeout });
    },
  },
].map((manager) => ({ ...usual, ...manager }));
