/**
 * The animal store service in memory, without a network, changed globals or `node:` modules. {@link createMockService}
 * creates a service. It implements the whole service interface. Each point that the interface leaves open is one of the
 * {@link Assumptions}.
 *
 * @module petstore-client/mocks
 */
export { createMockService } from './service/service.js';
export { defaultAssumptions } from './assumptions/assumptions.js';
export {
  readAssumptions,
  readAssumptionsFile,
  writeAssumptionsFile,
  type AssumptionsFile,
} from './assumptions/file.js';
export { exposedHeaders } from './http/cors.js';
export { explainHeader } from './http/response.js';
export { findRequests, type RecordedRequest, type RequestFilter } from './inspect/journal.js';
export { knownKeys } from './limits/keys.js';
export {
  matchers,
  type MatcherResult,
  type PetstoreMatchers,
  type ReceivedOptions,
} from './inspect/matchers.js';
export { virtualStart } from './clock/clock.js';
export type {
  Assumptions,
  GivenAssumptions,
  RetryAfterForm,
  WindowKind,
} from './assumptions/assumptions.js';
export type { Answer, Answers, GivenAnswers, Rule } from './assumptions/answers.js';
export type { Wait } from './assumptions/table.js';
export type { Duration, Instant, MockClock } from './clock/duration.js';
export type { Drift } from './faults/body-faults.js';
export type { FaultHandle, MockFaults } from './faults/fault-registry.js';
export type { Fault, FaultOutcome } from './faults/parse.js';
export type { KeyOptions, MockKey, MockKeys, WindowName, WindowUsage } from './limits/key-types.js';
export type { CreatePetInput, Inputs, Results } from './pets/handlers.js';
export type { ConductReport, Offence } from './inspect/conduct-report.js';
export type { OverrideHandler, RouteHandler, RouteRequest } from './service/run.js';
export {
  buildNewPet,
  buildPet,
  type MockPet,
  type MockPets,
  type PetFields,
  type SeedPet,
} from './pets/pet.js';
export type { Latency, MockService, MockServiceOptions } from './service/types.js';
export { SnapshotSchema, type Snapshot } from './service/snapshot.js';
