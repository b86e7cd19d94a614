/**
 * The client of the animal store service: {@link PetStoreClient}, its options, its errors and its types.
 *
 * | to … | see |
 * |---|---|
 * | make a client | {@link PetStoreClient}, {@link PetStoreClientOptions} |
 * | handle a failure | {@link PetStoreError} and the classes that extend it |
 * | set options of one call | {@link RequestOptions} |
 * | see what happens | {@link PetStoreEvent} |
 * | share a budget between processes | {@link RateLimitGate} |
 *
 * @module petstore-client
 */
export { PetStoreClient } from './client.js';
export type { Clock } from './utils/clock.js';
export type { Environment } from './contract/environments.js';
export type { Quota } from './contract/rate-limits.js';
export { PetStatus } from './contract/schemas.js';
export * from './errors/errors.js';
export type { Issue } from './errors/issues.js';
export { diagnosticsChannel } from './events/emitter.js';
export type * from './events/events.js';
export type { Logger, LogLevel } from './events/logger.js';
export { resetRateLimitGates } from './gate/shared-gates.js';
export { createRateLimitGate, type GateOptions } from './options/create-gate.js';
export type * from './options/options.js';
export * from './rate-limit/types.js';
export type { ResponsePromise, WithResponse } from './transport/transport.js';
export type * from './types.js';
export type * from './utils/standard-schema.js';
