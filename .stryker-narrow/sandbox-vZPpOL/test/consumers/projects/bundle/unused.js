// @ts-nocheck
// Imported and not used: must leave nothing behind.
import { PetStoreClient, RateLimitError } from 'petstore-client';
import { operations } from 'petstore-client/contract';
import { createMockService } from 'petstore-client/mocks';

globalThis.outcome = 'nothing used';
