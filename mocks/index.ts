/**
 * The animal store service in memory: no network, no globals patched, nothing of `node:`. {@link createMockService} makes
 * one. It keeps to the whole service interface; what that leaves open is one of the {@link Assumptions}.
 *
 * @module petstore-client/mocks
 */
export { createMockService } from './service.js';
export { defaultAssumptions } from './default-assumptions.js';
export { exposedHeaders } from './exposed-headers.js';
export { explainHeader } from './answer.js';
export { findRequests, type RecordedRequest, type RequestFilter } from './journal.js';
export { knownKeys } from './keys.js';
export { matchers, type MatcherResult, type PetstoreMatchers } from './matchers.js';
export { virtualStart } from './clock.js';
export type { Assumptions, BannedAnswer, GivenAssumptions, RetryAfterForm, StrikeRule, Wait, WindowKind } from './assumptions.js';
export type { Duration, Instant, MockClock } from './clock-types.js';
export type { Drift, Fault, FaultHandle, FaultOutcome, MockFaults } from './fault-types.js';
export type { KeyOptions, MockKey, MockKeys, WindowName, WindowUsage } from './key-types.js';
export type { CreatePetInput, Inputs } from './inputs.js';
export type { ConductReport, Offence } from './report.js';
export type { OverrideHandler } from './overrides.js';
export type { MockPet, MockPets, SeedPet } from './pet-types.js';
export type { Results } from './resolvers.js';
export type { Rule } from './problems.js';
export type { Latency, MockService, MockServiceOptions, Snapshot } from './types.js';
