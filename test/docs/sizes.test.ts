// The sizes in the documents are the limits that `npm run size` holds the build to, so that they cannot go stale.
import { expect, test } from 'vitest';
import { read } from '../support/documents.js';

const limits = JSON.parse(read('config/size-limit.json')) as { name: string; limit: string }[];
const limitOf = (name: string) => limits.find((entry) => entry.name === name)!.limit;

test('the size of the client in the README and on the page about performance is the limit of the build', () => {
  const whole = limitOf('client, whole, for a browser');
  expect(read('README.md')).toContain(`is at most ${whole} (gzip)`);
  const page = read('docs/performance.md');
  expect(page).toContain(`whole client in a browser is at most ${whole} (gzip)`);
  expect(page).toContain(`${limitOf('client, own code')} are its own code`);
});

test('the documents state no other size in kB of the whole client', () => {
  expect([...read('README.md').matchAll(/[\d.]+ kB/g)].map(([size]) => size)).toEqual([
    limitOf('client, whole, for a browser'),
  ]);
});
