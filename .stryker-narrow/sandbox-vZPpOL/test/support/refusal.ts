// @ts-nocheck
import { expect } from 'vitest';
import { ConfigurationError, PetStoreClient, type PetStoreClientOptions } from '../../src/index.js';

/** The error with which the constructor of the client refuses options, of whatever kind they are. */
export function refusal(options: object | null): ConfigurationError {
  try {
    new PetStoreClient(options as PetStoreClientOptions);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return error as ConfigurationError;
  }
  throw new Error('expected a ConfigurationError');
}
