// @ts-nocheck
// The sizes in the documents are the limits that `npm run size` holds the build to, so that they cannot go stale.
import { expect, test } from 'vitest';
import { read } from '../support/documents.js';

const limits = JSON.parse(read('config/size-limit.json')) as { name: string; limit: string }[];
const limitOf = (name: string) => limits.find((entry) => entry.name === name)!.limit;

test('the size of the client in the README and on the page about performance is the limit of the build, and no other', () => {
  const whole = limitOf('client, whole, for a browser');
  expect(read('README.md')).toContain(`is at most ${whole} (gzip)`);
  expect(read('README.md').match(/[\d.]+ kB/g)).toEqual([whole]);
  const page = read('docs/performance.md');
  expect(page).toContain(`whole client in a browser is at most ${whole} (gzip)`);
  expect(page).toContain(`${limitOf('client, own code')} are its own code`);
});
