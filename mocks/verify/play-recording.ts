import { parseJson } from '../../src/contract/json.js';
import type { SeedPet } from '../pets/pet.js';
import { isRecord } from '../utils/options.js';
import { isSeedPet, knownFields } from './case.js';
import { recordingFormat } from './report/recording.js';
import type { Recording } from './types.js';

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
