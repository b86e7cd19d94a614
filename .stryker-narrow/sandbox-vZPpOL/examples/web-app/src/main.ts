// @ts-nocheck
import type { PetStatus } from 'petstore-client';
import { render } from './board.js';
import { setUpDemo } from './demo.js';
import { find } from './element.js';
import { setUpForm } from './form.js';
import { Hold } from './hold.js';
import { sentenceFor } from './sentences.js';
import { openStore } from './store.js';

const root = find<HTMLElement>('#board');
const notice = find<HTMLElement>('#notice');
const hold = new Hold(find('#hold'));
render(root, { kind: 'loading' });
const { client, service } = await openStore(hold.onEvent);

let latest = new AbortController();

async function show(): Promise<void> {
  // Only the newest choice counts. The response to an earlier one would show the wrong pets.
  latest.abort();
  const { signal } = (latest = new AbortController());
  const status = (find<HTMLInputElement>('#filter :checked').value || undefined) as
    PetStatus | undefined;
  render(root, { kind: 'loading' });
  try {
    const pets = await hold.during(client.listPets({ limit: 100, status }, { signal }));
    const sentence =
      status === undefined
        ? 'There are no pets in the store yet.'
        : `No pet is ${status} at the moment.`;
    render(root, pets.length > 0 ? { kind: 'pets', pets } : { kind: 'empty', sentence });
  } catch (error) {
    if (signal.aborted) return;
    render(root, { kind: 'error', sentence: sentenceFor(error), again: () => void show() });
  } finally {
    showQuota();
  }
}

function showQuota(): void {
  const { limit = 0, remaining = 0 } = client.rateLimit ?? {};
  find<HTMLElement>('#quota').hidden = limit === 0;
  Object.assign(find<HTMLMeterElement>('#quota meter'), {
    max: limit,
    low: limit / 4,
    value: remaining,
  });
  find('#quota span').textContent = `${remaining} of ${limit} requests left`;
}

find('#filter').addEventListener('change', () => void show());
setUpForm(
  (pet) => hold.during(client.createPet(pet)),
  ({ id, name }) => {
    notice.textContent = `${name} is in the store, as number ${id}.`;
    notice.hidden = false;
    void show();
  },
);
if (import.meta.env.DEV && service !== undefined)
  setUpDemo(service, () => {
    notice.hidden = true;
    void show();
  });
await show();
