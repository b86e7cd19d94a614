import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createPets } from '../../src/bulk/index.js';
import { ConfigurationError } from '../../src/index.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { fc, fuzzRuns } from '../support/fuzz.js';
import { world } from '../support/world.js';

test('a journal that is cut or overwritten anywhere is refused or read as it was, and no row is sent again', async () => {
  const count = fuzzRuns(60);
  const folder = temporaryFolder();
  const [path, copy] = [join(folder, 'whole'), join(folder, 'copy')];
  const { service, client } = world();
  const names = ['Rex', '\u2028', 'Rex', 'x'.repeat(9_000), ...Array.from({ length: 50 }, String)];
  const rows = names.map((name) => ({ name, categoryId: 1 }));
  service.faults.add({ operation: 'createPet', sequence: ['pass', { 'network-error': 'after' }] });
  await createPets(client(), rows, { journal: path });
  const whole = readFileSync(path);
  const requests = service.requests.length;
  const expected = await createPets(client(), rows, { journal: path });
  const counts = { refused: 0, read: 0 };
  const expectNothingSent = async (bytes: Buffer) => {
    writeFileSync(copy, bytes);
    const result = await createPets(client(), rows, { journal: copy }).catch(
      (error: unknown) => error,
    );
    const isRefused = result instanceof ConfigurationError;
    // With any other journal, all rows would be sent again.
    if (isRefused)
      expect(result.message).toMatch(
        /damaged.*: begin a new journal with only the rows whose pets are not in/,
      );
    else expect(result).toEqual(expected);
    counts[isRefused ? 'refused' : 'read'] += 1;
    expect(service.requests).toHaveLength(requests);
  };
  const check = (from: fc.Arbitrary<number>, damage: (from: number, more: number[]) => Buffer) =>
    fc.assert(
      fc.asyncProperty(
        from,
        fc.constantFrom(1, 2, 16, 512, 4_096, 20_000),
        fc.constantFrom(0, 1, 2, 32, 35, 48, 255),
        (at, ...more) => expectNothingSent(damage(at, more)),
      ),
      { numRuns: count },
    );
  const place = fc.nat(whole.length - 1);
  await check(place, (size) => whole.subarray(0, size));
  expect(counts).toEqual({ refused: count, read: 0 });
  await check(place, (from, [length, filling]) =>
    Buffer.from(whole).fill(filling!, from, Math.min(whole.length, from + length!)),
  );
  await expectNothingSent(whole);
  expect(counts.refused).toBeGreaterThan(count);
});
