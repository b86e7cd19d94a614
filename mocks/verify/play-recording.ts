import { parseJson } from '../../src/contract/json.js';
import type { SeedPet } from '../pets/pet.js';
import type { ResponseParts } from '../http/response.js';
import { contextOf } from '../service/context.js';
import { withRecordedResponses } from '../service/service.js';
import { partsOf } from '../service/to-response.js';
import type { MockService } from '../service/types.js';
import { isRecord } from '../utils/options.js';
import { isSeedPet, knownFields } from './case.js';
import { recordingFormat } from './report/recording.js';
import type { RecordedExchange, Recording } from './types.js';

/**
 * Reads the text of a file that `petstore-mock verify --record FILE` has written.
 *
 * @throws TypeError that says what is wrong with it.
 * @example
 * ```ts
 * import { readRecording } from 'petstore-client/mocks/verify';
 *
 * const text = '{ "format": "petstore-recording/1", "origin": "https://staging.petstore.example", "basePath": "/v1", "exchanges": [] }';
 * console.log(readRecording(text).exchanges.length); // 0
 * ```
 */
export function readRecording(text: string): Recording {
  let read: unknown;
  try {
    read = parseJson(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new TypeError(`The recording is no JSON: ${(error as Error).message}`, { cause: error });
  }
  if (!isRecord(read) || read['format'] !== recordingFormat)
    throw new TypeError(
      `The recording must be an object with the format "${recordingFormat}": record again with petstore-mock verify --record FILE`,
    );
  const { origin, basePath, exchanges } = read;
  if (typeof origin !== 'string' || typeof basePath !== 'string' || !Array.isArray(exchanges))
    throw new TypeError('The recording must have origin, basePath and exchanges');
  const broken = exchanges.findIndex((one) => !isExchange(one));
  if (broken >= 0)
    throw new TypeError(`exchanges[${broken}] of the recording must have method, path and key`);
  return read as unknown as Recording;
}

function isExchange(one: unknown): boolean {
  if (!isRecord(one)) return false;
  const { method, path, key, status, text, headers } = one;
  return (
    [method, path, key].every((field) => typeof field === 'string') &&
    (status === undefined ||
      (Number.isInteger(status) && typeof text === 'string' && isRecord(headers)))
  );
}

/**
 * The pets that the lists of a recording show, for `createMockService({ seed })`: ids, categories and statuses are those of the
 * service, names are made up.
 *
 * @example
 * ```ts
 * import { createMockService } from 'petstore-client/mocks';
 * import { recordedPets, verifyService } from 'petstore-client/mocks/verify';
 *
 * const staging = createMockService({ clock: 'virtual', seed: 3 });
 * const { recording } = await verifyService({
 *   baseUrl: 'https://staging.petstore.example',
 *   apiKey: 'mock-free',
 *   fetch: staging.fetch,
 *   clock: staging.clock,
 * });
 * console.log(recordedPets(recording).map(({ name }) => name).join()); // Pet 1,Pet 2,Pet 3
 * ```
 */
export function recordedPets(recording: Recording): SeedPet[] {
  const pets = new Map<string, SeedPet>();
  for (const { status, text } of recording.exchanges) {
    const value = status === 200 && text !== undefined && text !== '' ? parseJson(text) : [];
    for (const pet of Array.isArray(value) ? value : [])
      if (isSeedPet(pet)) pets.set(String(pet.id), knownFields(pet));
  }
  return [...pets.values()];
}

/**
 * The service, which answers each recorded request as the recorded one did, and everything else live. Keys, quotas, faults,
 * overrides and the journal are live in any case: the rate-limit headers and `Date` are those of the mock, a request that the
 * mock refuses for its key or its quota is refused, a fault changes the recorded response, and an operation with an override
 * is answered by it. The recorded responses do not change: after a `createPet` the recorded list is still without the new pet.
 * The paths are those below the base path of the service, whatever base path the recording was made with.
 * Of a request that was recorded several times the answers come in turn, and the last one stays; `reset()` starts again from
 * the first.
 *
 * Give the result to `createHandlers` or `serve`, or its `fetch` to a client.
 *
 * @param recording what {@link readRecording} gives, or `report.recording` of {@link verifyService}.
 * @example
 * ```ts
 * import { PetStoreClient } from 'petstore-client';
 * import { createMockService } from 'petstore-client/mocks';
 * import { readRecording, recordedPets, withRecording } from 'petstore-client/mocks/verify';
 *
 * const recording = readRecording(`{ "format": "petstore-recording/1", "origin": "https://staging.petstore.example",
 *   "basePath": "/v1", "exchanges": [{ "method": "GET", "path": "/pets/7", "key": "own", "sentAt": 0, "receivedAt": 0,
 *   "status": 200, "headers": { "content-type": "application/json" }, "text": "{\\"id\\":7,\\"name\\":\\"Pet 7\\",\\"categoryId\\":1}" }] }`);
 * const service = withRecording(createMockService({ seed: recordedPets(recording) }), recording);
 * const client = new PetStoreClient({ apiKey: 'mock-free', fetch: service.fetch });
 * console.log((await client.getPet(7)).name); // Pet 7
 * ```
 */
export function withRecording(service: MockService, recording: Recording): MockService {
  // A 429 was of its moment, and a network failure is no answer.
  const played = recording.exchanges.filter(
    ({ status, key }) =>
      status !== undefined && status !== 429 && (key === 'own' || key === 'none'),
  );
  const recorded = Map.groupBy(played, ({ method, path, key, body }) =>
    nameOf(method, path, key === 'own', body),
  );
  /** How many answers each request has had. */
  const turns = new Map<string, number>();
  const { basePath } = contextOf(service, 'withRecording');
  return withRecordedResponses(
    service,
    ({ method, path, search, headers }, body) => {
      if (!path.startsWith(`${basePath}/`)) return undefined;
      const target = path.slice(basePath.length) + search;
      const name = nameOf(method, target, headers.get('authorization') !== null, body);
      const answers = recorded.get(name);
      if (!answers) return undefined;
      const turn = turns.get(name) ?? 0;
      turns.set(name, turn + 1);
      return toParts(answers[Math.min(turn, answers.length - 1)]!);
    },
    () => turns.clear(),
  );
}

function nameOf(method: string, path: string, hasKey: boolean, body: string | undefined): string {
  return JSON.stringify([method, path, hasKey, body ?? '']);
}

/** The rate-limit headers and the time are those of the mock. */
function toParts({ status, headers, text }: RecordedExchange): ResponseParts {
  const type = headers?.['content-type'] ?? 'text/plain;charset=utf-8';
  return partsOf(status!, type, text === '' ? undefined : text);
}
