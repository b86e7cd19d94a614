import type { MockService, MockServiceOptions } from '../../mocks/service/types.js';

/** One request of a scenario; the key is `mock-free` by default, none if `null`. */
interface Step {
  method?: string;
  path: string;
  key?: string | null;
  type?: string;
  body?: string;
}

/** What a scenario is made of: the service's options, what is prepared, the requests, and the statuses they get. */
export interface Scenario {
  title: string;
  options?: MockServiceOptions;
  prepare?: (service: MockService) => void;
  /** The answers break the contract on purpose. */
  faulty?: boolean;
  steps: readonly Step[];
  /** The status of each answer; 'broken': the request fails; 'cut': its body does. */
  expected: readonly (number | 'broken' | 'cut')[];
}

/** An answer as the one who asked sees it. */
export interface Seen {
  status: number | 'broken' | 'cut';
  body: string;
  headers: Record<string, string>;
}

const json = 'application/json';
const create = (body: string, type = json): Step => ({
  method: 'POST',
  path: '/v1/pets',
  type,
  body,
});
const list: Step = { path: '/v1/pets' };
const fault = (...added: Parameters<MockService['faults']['add']>) => ({
  faulty: true,
  prepare: (service: MockService) => void service.faults.add(...added),
});

/** The behaviour that every way of reaching the service must show alike, beside the cases of the verification. */
export const scenarios: readonly Scenario[] = [
  {
    title: 'refuses bodies of another shape',
    steps: [create(''), create('[]'), create('name=x', 'application/x-www-form-urlencoded')],
    expected: [400, 400, 400],
  },
  {
    title: 'answers what it does not know',
    steps: [
      { path: '/' },
      { path: '/elsewhere?x=%zz' },
      { method: 'DELETE', path: '/v1/pets' },
      { method: 'HEAD', path: '/v1/pets' },
      { path: '/V1/Pets' },
    ],
    expected: [404, 404, 405, 405, 404],
  },
  {
    title: 'refuses beyond the quota, and bans who goes on',
    prepare: (service) => service.keys.get('mock-free').setRemaining('minute', 1),
    steps: [list, list, list, list, list, list, list, list],
    expected: [200, 429, 429, 429, 429, 429, 429, 429],
  },
  {
    title: 'plays a status fault',
    ...fault({ status: 503, times: 1 }),
    steps: [list, list],
    expected: [503, 200],
  },
  {
    title: 'plays a page of HTML',
    ...fault({ html: true, times: 1 }),
    steps: [list, list],
    expected: [200, 200],
  },
  {
    title: 'plays an empty body',
    ...fault({ 'empty-body': true, times: 1 }),
    steps: [list, list],
    expected: [200, 200],
  },
  {
    title: 'plays malformed JSON',
    ...fault({ 'malformed-json': true, times: 1 }),
    steps: [list, list],
    expected: [200, 200],
  },
  {
    title: 'plays drift',
    ...fault({ drift: 'huge-id', times: 1 }),
    steps: [list, list],
    expected: [200, 200],
  },
  {
    title: 'plays a slow body',
    ...fault({ 'slow-body': 200, times: 1 }),
    steps: [list, list],
    expected: [200, 200],
  },
  {
    title: 'plays a raw Retry-After',
    ...fault({ 'retry-after': 'soon', times: 1 }),
    steps: [list, list],
    expected: [429, 200],
  },
  {
    title: 'plays missing rate-limit headers',
    ...fault({ 'no-rate-limit-headers': true, times: 1 }),
    steps: [list, list],
    expected: [200, 200],
  },
  {
    title: 'plays a skewed clock',
    ...fault({ 'clock-skew': 90_000, times: 1 }),
    steps: [list, list],
    expected: [200, 200],
  },
  {
    title: 'breaks the connection',
    ...fault({ 'network-error': true, times: 1 }),
    steps: [list, list],
    expected: ['broken', 200],
  },
  {
    title: 'cuts a body off',
    ...fault({ 'drop-body': true, times: 1 }),
    steps: [list, list],
    expected: ['cut', 200],
  },
];

/** The options of each scenario's service: a clock that stands still, so that answers can be compared. */
export const optionsOf = ({ options }: Scenario): MockServiceOptions => ({
  clock: 'virtual',
  seed: 5,
  ...options,
});

/** Headers of the connection, not of the service. */
const ofTheWay = /^(connection|keep-alive|transfer-encoding|content-length)$/;

/** Plays the requests one after the other, through `send`, against `address`. */
export async function play(
  { steps }: Scenario,
  address: string,
  send: typeof fetch,
): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const step of steps) seen.push(await ask(step, address, send));
  return seen;
}

async function ask(
  { method = 'GET', path, key = 'mock-free', type, body }: Step,
  address: string,
  send: typeof fetch,
): Promise<Seen> {
  const headers = {
    ...(key !== null && { Authorization: `Bearer ${key}` }),
    ...(type && { 'Content-Type': type }),
  };
  let response: Response;
  try {
    response = await send(address + path, { method, headers, ...(body !== undefined && { body }) });
  } catch {
    return { status: 'broken', body: '', headers: {} };
  }
  const shown = Object.fromEntries([...response.headers].filter(([name]) => !ofTheWay.test(name)));
  try {
    return { status: response.status, body: await response.text(), headers: shown };
  } catch {
    return { status: 'cut', body: '', headers: shown };
  }
}
