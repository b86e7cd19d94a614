import type { createMockService } from '../../../mocks/index.js';
import { pets } from '../answers.js';
import { init, url } from './by-hand.js';
import type { Mock } from './index.js';

type Entry = { readonly createMockService: typeof createMockService };

/** The in-memory service with all that it does: key, limits, validation, journal, conduct. */
export async function ours(dist: URL): Promise<Mock> {
  const { createMockService } = (await import(new URL('mocks/index.js', dist).href)) as Entry;
  const service = createMockService({ seed: pets.map((pet) => ({ ...pet })), limits: 'off' });
  return { ask: () => service.fetch(url, init) };
}
