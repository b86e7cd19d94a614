// @ts-nocheck
// The recipe that shows the wait for the rate limit, in React: its two files are written beside this one.
import { act, render, screen } from '@testing-library/react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { PetStoreClient } from 'petstore-client';
import { createMockService } from 'petstore-client/mocks';
import { createWaitStore } from './wait.ts';
import { WaitNotice } from './WaitNotice.jsx';

test('the notice shows from the hold of the rate limit to its end', async () => {
  const service = createMockService({ clock: 'virtual' });
  const wait = createWaitStore();
  const shown = [];
  const onEvent = (event) => {
    act(() => wait.onEvent(event));
    const text = screen.queryByRole('status')?.textContent.split('.')[0];
    if (event.type.startsWith('rate-limit')) shown.push([event.type, text]);
  };
  const client = new PetStoreClient({ apiKey: 'mock-free', fetch: service.fetch, onEvent });
  const { unmount } = render(<WaitNotice wait={wait} />);
  expect(screen.queryByRole('status')).toBeNull();
  service.keys.get('mock-free').exhaust('minute');
  await client.listPets();
  expect(shown).toEqual([
    ['rate-limit-hold', expect.stringMatching(/^Busy$/)],
    ['rate-limit-resume', undefined],
  ]);
  unmount();
  expect(renderToString(<WaitNotice wait={wait} />)).toBe('');
});
