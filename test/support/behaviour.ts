// What every way of reaching a service must answer alike: a list of requests each, and all that the verification asks.
import { createMockService, type MockService, type MockServiceOptions } from '../../mocks/index.js';
import { verifyService } from '../../mocks/verify/index.js';
import { everything, verifiedServices } from './verified.js';

/** A request: its path, and what differs from a GET with the key `mock-free`. */
type Step = readonly [path: string, init?: { method?: string; type?: string; body?: string }];
type Status = number | 'broken' | 'cut';

/** An answer as the one who asked sees it. 'broken': the request failed; 'cut': its body did. */
export interface Seen {
  readonly status: Status;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A service, what is asked of it through `send` at an address, and the statuses of the answers. */
export interface Scenario {
  readonly title: string;
  /** The answers break the contract on purpose. */
  readonly isFaulty?: boolean;
  /** A page of another origin may not send some of the methods. */
  readonly isOfPages?: boolean;
  readonly create: () => MockService;
  readonly play: (service: MockService, address: string, send: typeof fetch) => Promise<Seen[]>;
  readonly expected?: readonly Status[];
}

/** Headers of the connection, not of the service. */
const ofTheWay = /^(connection|keep-alive|transfer-encoding|content-length)$/;

async function seen(response: Response): Promise<Seen> {
  if (response.type === 'error') return { status: 'broken', body: '', headers: {} };
  const headers = Object.fromEntries(
    [...response.headers].filter(([name]) => !ofTheWay.test(name)),
  );
  return response.text().then(
    (body) => ({ status: response.status, body, headers }),
    () => ({ status: 'cut', body: '', headers }),
  );
}

/** One request, and its answer. */
export const see = async (send: typeof fetch, url: string, init?: RequestInit): Promise<Seen> =>
  seen(await send(url, init).catch(() => Response.error()));

/** The requests of a verification on virtual time, with leave for everything, and when each is sent. */
async function askedOf(options: MockServiceOptions) {
  const all: { at: number; path: string; init: RequestInit }[] = [];
  const { clock, fetch } = createMockService(options);
  const baseUrl = 'https://api.petstore.example';
  await verifyService({
    ...{ baseUrl, clock, apiKey: 'mock-free', secondKey: 'mock-pro', ...everything },
    fetch(input, { method, headers, body } = {}) {
      const init = { method, headers, body } as RequestInit;
      all.push({ at: clock.now(), path: new Request(input).url.slice(baseUrl.length), init });
      return fetch(input, init);
    },
  });
  return all;
}

/** Sends what a verification asks: all the answers. */
function verification(options: MockServiceOptions): Scenario['play'] {
  let asked: ReturnType<typeof askedOf> | undefined;
  return async (service, address, send) => {
    const all: Seen[] = [];
    for (const { at, path, init } of await (asked ??= askedOf(options))) {
      service.clock.set(at);
      all.push(await see(send, address + path, init));
    }
    return all;
  };
}

const scenario = (
  title: string,
  expected: readonly Status[],
  steps: readonly Step[],
  { prepare, ...more }: Partial<Scenario> & { prepare?: (service: MockService) => unknown } = {},
): Scenario => ({
  title,
  expected,
  ...more,
  create() {
    // The clock stands still, so that answers can be compared.
    const service = createMockService({ clock: 'virtual', seed: 5 });
    prepare?.(service);
    return service;
  },
  async play(_service, address, send) {
    const all: Seen[] = [];
    for (const [path, { type = '', ...init } = {}] of steps) {
      const headers = { Authorization: 'Bearer mock-free', ...(type && { 'Content-Type': type }) };
      all.push(await see(send, address + path, { ...init, headers }));
    }
    return all;
  },
});

const list: Step = ['/v1/pets'];
const post = (body: string, type = 'application/json'): Step => [
  '/v1/pets',
  { method: 'POST', type, body },
];
const otherBodies = [post(''), post('[]'), post('name=x', 'application/x-www-form-urlencoded')];
const unknown: Step[] = [
  ['/'],
  ['/elsewhere?x=%zz'],
  ['/v1/pets', { method: 'DELETE' }],
  ['/v1/pets', { method: 'HEAD' }],
  ['/V1/Pets'],
];

const faults: readonly [object, Status][] = [
  [{ status: 503 }, 503],
  [{ 'empty-body': true }, 200],
  [{ drift: 'huge-id' }, 200],
  [{ 'slow-body': 200 }, 200],
  [{ 'retry-after': 'soon' }, 429],
  [{ 'no-rate-limit-headers': true }, 200],
  [{ 'network-error': true }, 'broken'],
  [{ 'drop-body': true }, 'cut'],
];

export const scenarios: readonly Scenario[] = [
  scenario('bodies of another shape', [400, 400, 400], otherBodies, { isOfPages: true }),
  scenario('requests that it does not know', [404, 404, 405, 405, 404], unknown),
  ...faults.map(([fault, status]) =>
    scenario(`the fault ${JSON.stringify(fault)}`, [status, 200], [list, list], {
      isFaulty: true,
      isOfPages: true,
      prepare: (service) => service.faults.add({ ...fault, times: 1 }),
    }),
  ),
  ...verifiedServices.map(({ title, options }) => ({
    title: `every request of the verification, ${title}`,
    create: () => createMockService(options),
    play: verification(options),
  })),
];
