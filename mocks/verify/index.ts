/**
 * Asks any implementation of the service what it does: which statements of the interface hold, and which value each
 * assumption of the mock has there. {@link verifyService} asks, and `petstore-mock verify` is the same as a command.
 *
 * @module petstore-client/mocks/verify
 */
export { plannedRequests, verifyService, type PlannedCase } from './verify-service.js';
export { readRecording, recordedPets } from './play-recording.js';
export { reportJunit } from './report/junit.js';
export { reportText, type Paint } from './report/text.js';
export type {
  AssumptionFinding,
  Certainty,
  Difference,
  Drift,
  Finding,
  Permit,
  Progress,
  RecordedExchange,
  Recording,
  Verdict,
  VerifyOptions,
  VerifyReport,
} from './types.js';
