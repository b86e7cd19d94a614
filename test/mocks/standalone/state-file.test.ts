// What can be wrong with a state file, and how much of it a request writes.
import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Worlds } from '../../../mocks/control/worlds.js';
import { createMockService } from '../../../mocks/index.js';
import { createApp } from '../../../mocks/standalone/app.js';
import { toResponse } from '../../../mocks/http/response.js';
import { openState } from '../../../mocks/standalone/state-file.js';
import type { MockServiceOptions } from '../../../mocks/service/types.js';
import { portRequest } from '../../support/port-request.js';
import { useProgram, type Started } from '../../support/standalone.js';

const { folder, program, run, start, startWith } = useProgram();

const send = (url: string, method: string, path: string, body?: unknown, key = 'mock-enterprise') =>
  fetch(url + path, {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      Connection: 'close',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

const names = async ({ url }: Started): Promise<string[]> => {
  const answer = await send(url, 'GET', '/_mock/snapshot');
  return ((await answer.json()) as { pets: { name: string }[] }).pets.map(({ name }) => name);
};

const stop = async ({ child, exit }: Started, signal: NodeJS.Signals): Promise<void> => {
  child.kill(signal);
  await exit;
};

/** A state file in this process, asked as by a program on the same machine. */
function inProcess(file: string, options: MockServiceOptions) {
  const create = () => createMockService({ clock: 'virtual', ...options });
  const worlds = new Worlds(create(), create);
  const state = openState(join(folder, file), worlds);
  const app = state.keeping(createApp(worlds, { host: '127.0.0.1' }));
  const ask = (method: string, path: string, body?: unknown, headers: object = {}) =>
    app(
      portRequest(
        new Request(`http://127.0.0.1${path}`, {
          method,
          headers: {
            Authorization: 'Bearer mock-free',
            'Content-Type': 'application/json',
            ...headers,
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
      ),
    );
  const logSize = () => statSync(join(folder, `${file}-wal`)).size;
  return { worlds, state, ask, logSize };
}

test('a request writes what it has changed and no more, and a refused one nothing', async () => {
  const { ask, state, logSize } = inProcess('large.db', { seed: 5_000 });
  const written = async (...request: Parameters<typeof ask>) => {
    const before = logSize();
    const { status } = await ask(...request);
    return [status, logSize() - before] as const;
  };
  const pet = { name: 'Rex', categoryId: 1 };
  // All pets are 400 kB; a change is a few pages of 4 kB.
  const few = 30_000;
  expect(await written('POST', '/_mock/pets', pet, { Origin: 'https://evil.test' })).toEqual([
    403, 0,
  ]);
  expect(await written('POST', '/_mock/pets', { name: 1 })).toEqual([400, 0]);
  expect(await written('GET', '/_mock/state')).toEqual([200, 0]);
  const within = (status: number) => [
    status,
    expect.toSatisfy((size: number) => size > 0 && size < few) as number,
  ];
  expect(await written('POST', '/_mock/pets', pet)).toEqual(within(200));
  expect(await written('PATCH', '/_mock/pets/500', { status: 'sold' })).toEqual(within(200));
  expect(await written('DELETE', '/_mock/pets/501')).toEqual(within(204));
  expect(await written('PUT', '/_mock/keys/mock-free', { exhaust: 'day' })).toEqual(within(200));
  expect(await written('POST', '/_mock/clock', { advance: '1d' })).toEqual(within(200));
  expect(await written('POST', '/v1/pets', pet)).toEqual(within(201));
  expect(await written('GET', '/v1/pets')).toEqual(within(200));
  expect(await written('POST', '/_mock/reset')).toEqual(within(204));
  state.close();
});

test('another world is not written to the file, and a world with replaced assumptions still writes to it', async () => {
  const first = inProcess('worlds.db', { seed: 1 });
  const pet = (name: string) => ({ name, categoryId: 1 });
  await first.ask('POST', '/_mock/pets', pet('elsewhere'), { 'X-Mock-World': 'w' });
  await first.ask('PUT', '/_mock/assumptions', { retryAfter: 'absent' });
  await first.ask('POST', '/_mock/pets', pet('after'));
  first.state.close();
  const second = inProcess('worlds.db', { seed: 0 });
  const kept = second.worlds.first.pets.list().map(({ name }) => name);
  expect(kept).toHaveLength(2);
  expect(kept).toContain('after');
  second.state.close();
});

test('after a restart each operation of a key has used what its busiest one had, and a sliding minute starts anew', async () => {
  const options: MockServiceOptions = {
    assumptions: { countingScope: 'key-and-operation', minuteWindow: 'sliding' },
  };
  const remaining = async ({ ask }: ReturnType<typeof inProcess>, path: string) => {
    const { headers } = toResponse(await ask('GET', path));
    return Number(headers.get('X-RateLimit-Remaining'));
  };
  const first = inProcess('scopes.db', { ...options, seed: 1 });
  for (let sent = 0; sent < 3; sent++) await first.ask('GET', '/v1/pets');
  expect(await remaining(first, '/v1/pets/1')).toBe(59);
  first.worlds.first.clock.advance('30s');
  expect(await remaining(first, '/v1/pets')).toBe(56);
  first.state.close();
  const second = inProcess('scopes.db', options);
  expect(await remaining(second, '/v1/pets/1')).toBe(55);
  expect(await remaining(second, '/v1/pets')).toBe(55);
  second.worlds.first.clock.advance('59s');
  expect(await remaining(second, '/v1/pets')).toBe(54);
  second.worlds.first.clock.advance('1s');
  expect(await remaining(second, '/v1/pets')).toBe(58);
  second.state.close();
});

test('every field of a pet is kept, without a column of its own', async () => {
  const first = inProcess('fields.db', { seed: 0, assumptions: { omittedStatus: 'absent' } });
  await first.ask('POST', '/v1/pets', { name: 'Rex', categoryId: 9223372036854 });
  const [pet] = first.worlds.first.pets.list();
  first.state.close();
  const second = inProcess('fields.db', { assumptions: { omittedStatus: 'absent' } });
  expect(second.worlds.first.pets.list()).toEqual([pet]);
  second.state.close();
});

test('an id that was assigned is not assigned again after a restart, though its pet was removed', async () => {
  const file = join(folder, 'ids.db');
  const first = await start('--state', file, '--seed', '2');
  await send(first.url, 'POST', '/v1/pets', { name: 'A', categoryId: 1 });
  await send(first.url, 'DELETE', '/_mock/pets/3');
  await stop(first, 'SIGKILL');
  const second = await start('--state', file);
  const created = await send(second.url, 'POST', '/v1/pets', { name: 'B', categoryId: 1 });
  expect(await created.json()).toMatchObject({ id: 4 });
});

test('a ban that the service itself began lasts over a restart, with any spaces in the header', async () => {
  const file = join(folder, 'ban.db');
  const args = ['--state', file, '--clock', 'virtual', '--key', 'tiny=1/9'];
  const list = async ({ url }: Started) =>
    (
      await fetch(`${url}/v1/pets`, {
        headers: { Authorization: 'Bearer   tiny', Connection: 'close' },
      })
    ).status;
  const first = await start(...args);
  const statuses: number[] = [];
  for (let count = 0; count < 8; count++) statuses.push(await list(first));
  expect(statuses).toEqual([200, ...Array.from({ length: 7 }, () => 429)]);
  const banned = async ({ url }: Started) =>
    ((await (await send(url, 'GET', '/_mock/keys/tiny')).json()) as { bannedUntil: number })
      .bannedUntil;
  const until = await banned(first);
  expect(until).toBe(Date.UTC(2026, 0, 1) + 600_000);
  await stop(first, 'SIGKILL');
  const second = await start(...args);
  expect(await banned(second)).toBe(until);
  await send(second.url, 'POST', '/_mock/clock', { advance: '61s' });
  expect(await list(second)).toBe(429);
});

test('on a full disk a pet that cannot be written is not there, is answered 501 with the reason, and all others stay', async () => {
  const file = join(folder, 'full.db');
  const first = await startWith('ulimit -f 300', '--state', file, '--seed', '0');
  const created: string[] = [];
  let refused: Response | undefined;
  for (let count = 0; count < 400 && refused === undefined; count++) {
    const name = `${count} ${'x'.repeat(4_000)}`;
    const answer = await send(first.url, 'POST', '/v1/pets', { name, categoryId: 1 });
    if (answer.status === 201) created.push(name);
    else refused = answer;
  }
  expect([created.length > 10, refused?.status]).toEqual([true, 501]);
  expect(refused?.headers.get('X-Mock-Explain')).toContain('full.db could not be written');
  expect(await names(first)).toEqual(created);
  expect((await send(first.url, 'GET', '/v1/pets')).status).toBe(200);
  const batch = Array.from({ length: 50 }, (_none, at) => ({
    name: `batch ${at} ${'x'.repeat(4_000)}`,
    categoryId: 1,
  }));
  const refusedBatch = await send(first.url, 'POST', '/_mock/pets', batch);
  expect([refusedBatch.status, await refusedBatch.text()]).toEqual([
    500,
    expect.stringContaining('full.db could not be written'),
  ]);
  expect(await names(first)).toEqual(created);
  await stop(first, 'SIGKILL');
  const second = await start('--state', file);
  expect(await names(second)).toEqual(created);
  expect((await send(second.url, 'POST', '/v1/pets', { name: 'B', categoryId: 1 })).status).toBe(
    201,
  );
});

/** Runs the program as a user who may not write what root, or this user, owns. */
const runUnprivileged = (...args: string[]) =>
  new Promise<{ code: number; err: string }>((resolve) => {
    const uid = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    execFile(
      process.execPath,
      [program, ...args],
      { timeout: 20_000, ...uid },
      (error, _out, err) => resolve({ code: error ? Number(error.code ?? -1) : 0, err }),
    );
  });

test('a state file that may not be written is refused, and left as it is', async () => {
  const file = join(folder, 'read-only.db');
  await stop(await start('--state', file), 'SIGTERM');
  chmodSync(folder, 0o755);
  chmodSync(file, 0o444);
  const before = readFileSync(file);
  const { code, err } = await runUnprivileged('--state', file, '--port', '0');
  expect([code, err]).toEqual([
    1,
    expect.stringContaining(`${file} is read-only. Change its permissions`),
  ]);
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('a state file with a row that is no pet, or cut anywhere, is refused and left as it is, or read whole', async () => {
  const whole = join(folder, 'intact.db');
  await stop(await start('--state', whole, '--seed', '300'), 'SIGTERM');
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const damaged = join(folder, 'damaged.db');
  copyFileSync(whole, damaged);
  const database = new DatabaseSync(damaged);
  database.exec(`UPDATE pets SET pet = '{"id":7,"name":7}' WHERE id = 7`);
  database.close();
  const size = statSync(whole).size;
  const cut = [0.2, 0.5, 0.9].map((part) => {
    const file = join(folder, `cut-${part}.db`);
    copyFileSync(whole, file);
    truncateSync(file, Math.floor(size * part));
    return file;
  });
  for (const file of [damaged, ...cut]) {
    const before = readFileSync(file);
    const { code, err } = await run('--state', file, '--port', '0');
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/cannot be used as state.*left as it is/s),
    ]);
    expect(readFileSync(file).equals(before)).toBe(true);
  }
});
