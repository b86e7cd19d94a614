/**
 * Asks any implementation of the service what it does: which statements of the interface hold, and which value each
 * assumption of the mock has there. {@link verifyService} asks, and `petstore-mock verify` is the same as a command.
 *
 * @module petstore-client/mocks/verify
 */
// @ts-nocheck

export { plannedRequests, verifyService } from './verify-service.js';
export type { VerifyOptions } from './settings.js';
export { reportText, type Paint } from './report-text.js';
export type {
  AssumptionFinding,
  Difference,
  Drift,
  Permit,
  StatementFinding,
  VerifyReport,
} from './types.js';
