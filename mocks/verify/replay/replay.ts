/** Sends the requests of a run to the mock. */
import { pathPrefix, PetSchema } from '../../../src/contract/index.js';
import type { GivenAssumptions } from '../../assumptions/assumptions.js';
import { fromFetch } from '../../http/request.js';
import { knownFields, type MockPet, type SeedPet } from '../../pets/pet.js';
import { createMockService, insideOf } from '../../service/service.js';
import type { Ask } from '../asks.js';
import { createdPet, petsOf, type ReceivedAnswer, type Answered } from '../ask/exchange.js';
import { headersOf, toAnswer } from '../ask/send.js';

/** What the service was asked, with its answer. */
export type Asked = Pick<Answered, 'ask' | 'answer' | 'receivedAt'>;

/** A limit that no run reaches. */
const endless = 1_000_000_000;
const keys = { own: 'replay-own', second: 'replay-second', invalid: 'replay-invalid' };

/** How the mock of a replay is set up. */
export interface ReplaySetup {
  readonly assumptions: GivenAssumptions;
  readonly pets: readonly SeedPet[] | number;
  /** When it begins, ms since the epoch on the service's clock. */
  readonly start: number;
  /** Requests a minute of the key. Default: none. */
  readonly limit?: number;
}

/** What the mock says to everything that was answered. */
export async function playAll(all: readonly Asked[], setup: ReplaySetup): Promise<Asked[]> {
  const play = replayOf(setup);
  const played: Asked[] = [];
  for (const { ask, answer, receivedAt } of all) {
    const isRefused = answer.status === 429;
    played.push({ ask, receivedAt, answer: await play(ask, receivedAt, isRefused) });
  }
  return played;
}

/** What {@link replayOf} gives. */
export type Play = ReturnType<typeof replayOf>;

/**
 * Plays a request to a mock at a given time. Without a `Request` and a `Response`, which take longer than the rest. `isRefused`: for
 * the quota, although it plays no part.
 */
export function replayOf({ assumptions, pets, start, limit }: ReplaySetup) {
  const plan = { perMinute: limit ?? endless, perDay: endless };
  const service = createMockService({
    clock: 'virtual',
    now: start,
    journalLimit: 0,
    seed: pets,
    keys: { [keys.own]: { plan }, [keys.second]: { plan } },
    assumptions,
  });
  const own = service.keys.get(keys.own);
  let created: MockPet | undefined;
  return async (ask: Ask, at: number, isRefused = false): Promise<ReceivedAnswer> => {
    service.clock.set(at);
    if (isRefused) own.setRemaining('minute', 0);
    // A new pet has another id than at the service.
    const path = ask.name === 'createdPet' ? `/pets/${created?.id ?? 0}` : ask.path;
    const { body = null, method } = ask;
    const init = { method, body, headers: headersOf(ask, keys) };
    const request = fromFetch(`https://replay.example${pathPrefix}${path}`, init);
    const response = await insideOf(service.handle)!.respond(request, 'production');
    const { status, headers } = response;
    const text = typeof response.body === 'string' ? response.body : '';
    const answer = toAnswer(status, Object.entries(headers), text, at);
    created ??= createdPet(answer);
    if (isRefused) own.setRemaining('minute', endless);
    return answer;
  };
}

/** Every pet that a response has shown, once, without those that were created in the run, and those that the mock cannot hold. */
export function seenPets(answered: readonly Asked[]): SeedPet[] {
  const created = new Set(answered.map(({ answer }) => createdPet(answer)?.id));
  const pets = new Map<unknown, SeedPet>();
  for (const { answer } of answered)
    for (const shown of petsOf(answer) ?? (answer.status === 200 ? [answer.json] : [])) {
      const { success, data: pet } = PetSchema.safeParse(shown);
      if (success && !created.has(pet.id)) pets.set(pet.id, { id: pet.id, ...knownFields(pet) });
    }
  return [...pets.values()];
}
