/**
 * The contract of the service as data: schemas, operations, environments, plans and header names.
 *
 * @module petstore-client/contract
 */
export { environments, pathPrefix, type Environment } from './environments.js';
export { headers } from './headers.js';
export { INT64_MAX, INT64_MIN, Int64Schema } from './int64.js';
export { operations, type Deprecation, type Operation, type OperationName, type Stability } from './operations.js';
export { plans, type PlanName, type Quota } from './plans.js';
export {
  ErrorSchema,
  listLimit,
  ListPetsQuerySchema,
  NewPetSchema,
  PetListSchema,
  PetSchema,
  PetStatus,
  PetStatusSchema,
} from './schemas.js';
