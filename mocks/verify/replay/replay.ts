/** The mock, asked what a service was asked. */
import { pathPrefix, PetStatus } from '../../../src/contract/index.js';
import type { GivenAssumptions } from '../../assumptions/assumptions.js';
import type { MockPet, SeedPet } from '../../pets/pet.js';
import { createMockService } from '../../service/service.js';
import type { MockService } from '../../service/types.js';
import type { Ask } from '../asks.js';
import {
  createdPet,
  isAnswered,
  isPet,
  petsOf,
  type Answer,
  type Exchanges,
} from '../ask/exchange.js';
import { headersOf, toAnswer } from '../ask/send.js';
import type { CompleteResponse } from '../../http/response.js';
import { responderOf } from '../../service/context.js';

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
  readonly limit?: number | undefined;
}

/** A mock that answers requests at given times. */
export class Replay {
  readonly service: MockService;
  readonly #isLimited: boolean;
  #created: MockPet | undefined;
  #isExhausted = false;

  constructor({ assumptions, pets, start, limit }: ReplaySetup) {
    const plan = { perMinute: limit ?? endless, perDay: endless };
    this.#isLimited = limit !== undefined;
    this.service = createMockService({
      clock: 'virtual',
      now: start,
      journalLimit: 0,
      seed: pets,
      keys: { [keys.own]: { plan }, [keys.second]: { plan } },
      assumptions,
    });
  }

  /** Plays a request. `seen`: what the service answered. */
  async play(ask: Ask, at: number, seen?: Answer): Promise<Answer> {
    const { service } = this;
    service.clock.set(at);
    if (!this.#isLimited) this.#setExhausted(seen?.status === 429);
    // A new pet has another id than at the service.
    const path = ask.name === 'createdPet' ? `/pets/${this.#created?.id ?? 0}` : ask.path;
    const answer = await this.#respond({ ...ask, path });
    this.#created ??= createdPet(answer);
    return answer;
  }

  /** Without a `Request` and a `Response`, which take longer than the rest. */
  async #respond(ask: Ask): Promise<Answer> {
    const { pathname, search, href } = new URL(`https://replay.example${pathPrefix}${ask.path}`);
    const headers = new Map(
      Object.entries(headersOf(ask, keys)).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const { body = '', method } = ask;
    const response = await responderOf(this.service.handle)!(
      {
        method,
        path: pathname,
        search,
        url: href,
        headers: {
          get: (name) => headers.get(name.toLowerCase()) ?? null,
          has: (name) => headers.has(name.toLowerCase()),
        },
        signal: undefined,
        readText: (most) => (body.length > most ? undefined : body),
      },
      'production',
    );
    const { status, text = '', headers: all } = response as CompleteResponse;
    return toAnswer(status, (name) => all[name], text);
  }

  /** Where quotas play no part, a 429 that was asked for is one all the same. */
  #setExhausted(isExhausted: boolean): void {
    if (isExhausted === this.#isExhausted) return;
    this.service.keys.get(keys.own).setRemaining('minute', isExhausted ? 0 : endless);
    this.#isExhausted = isExhausted;
  }
}

const statuses: readonly unknown[] = [undefined, ...Object.values(PetStatus)];

/** Every pet that a response has shown, once, without those that were created in the run, and those that the mock cannot hold. */
export function seenPets(exchanges: Exchanges): SeedPet[] {
  const answers = exchanges.filter(isAnswered).map(({ answer }) => answer);
  const created = new Set(answers.map((answer) => createdPet(answer)?.id));
  const pets = new Map<unknown, SeedPet>();
  for (const answer of answers)
    for (const pet of petsOf(answer) ?? (answer.status === 200 ? [answer.json] : []))
      if (isPet(pet) && statuses.includes(pet.status) && !created.has(pet.id)) {
        const { id, name, categoryId, status } = pet;
        pets.set(id, { id, name, categoryId, ...(status && { status }) });
      }
  return [...pets.values()];
}
