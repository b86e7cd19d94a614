/**
 * The client of the animal store service: {@link PetStoreClient}, its options, its errors and its types.
 *
 * | to … | see |
 * |---|---|
 * | make a client | {@link PetStoreClient}, {@link PetStoreClientOptions} |
 * | handle a failure | {@link PetStoreError} and the classes that extend it |
 * | give one call its own limits | {@link RequestOptions} |
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
export { diagnosticsChannel } from './events/emitter.js';
export {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConfigurationError,
  ConnectionError,
  NotFoundError,
  PetStoreError,
  RateLimitError,
  RequestValidationError,
  ResponseValidationError,
  ServerError,
  TimeoutError,
  type Attempt,
  type RateLimitReason,
  type RequestSent,
} from './errors/errors.js';
export type { Issue } from './errors/issues.js';
export type {
  CallEndEvent,
  DeprecatedEvent,
  DriftEvent,
  PetStoreEvent,
  RateLimitHoldEvent,
  RateLimitResumeEvent,
  RateLimitWaitEvent,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
} from './events/events.js';
export type { Logger, LogLevel } from './events/logger.js';
export type {
  ApiKey,
  HeadersContext,
  HeadersFunction,
  PetStoreClientOptions,
  QueryValue,
  GateOfKey,
  RawRequest,
  RequestOptions,
  SharedOptions,
  Validation,
} from './options/options.js';
export { createRateLimitGate, resetRateLimitGates, type GateOptions } from './gate/shared-gates.js';
export {
  GateRefusedError,
  type GateCall,
  type GatePermit,
  type GateResponse,
  type HoldChange,
  type Priority,
  type RateLimit,
  type RateLimitGate,
  type WaitCause,
} from './rate-limit/types.js';
export type { ResponsePromise, WithResponse } from './transport/transport.js';
export type { StandardResult, StandardSchema } from './utils/standard-schema.js';
export type { Int64, Int64Mode, ListPetsQuery, NewPet, Pet } from './types.js';
