import { ConfigurationError } from '../errors/errors.js';
import type { ApiKey, PetStoreClientOptions } from './options.js';

/** The options of a client that is derived from another: each that is given takes the place of the other client's. */
export function deriveOptions(
  options: PetStoreClientOptions,
  apiKey: ApiKey,
  overrides: unknown,
): PetStoreClientOptions {
  if (typeof overrides !== 'object' || overrides === null)
    throw new ConfigurationError('withOptions takes an object of options');
  const given = Object.fromEntries(
    Object.entries(overrides).filter(([, value]) => value !== undefined),
  ) as PetStoreClientOptions;
  const { baseUrl, environment, ...rest } = options;
  // The two exclude each other: one that is given takes the place of both.
  const address = 'baseUrl' in given || 'environment' in given ? {} : { baseUrl, environment };
  return { ...rest, ...address, apiKey, ...given };
}
