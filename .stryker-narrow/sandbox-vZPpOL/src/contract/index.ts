/**
 * The contract of the service as data: schemas, operations, environments, plans and header names. Client, mock service and
 * OpenAPI description read it from here. The schemas fit into Zod schemas of your own.
 *
 * @example
 * ```ts
 * import * as z from 'zod';
 * import { operations, PetSchema, plans } from 'petstore-client/contract';
 *
 * const Basket = z.object({ owner: z.string(), pets: z.array(PetSchema) });
 * const basket = Basket.parse({ owner: 'Ann', pets: [{ id: 1, name: 'Rex', categoryId: 9223372036854775807n }] });
 * console.log(basket.pets[0]?.categoryId); // 9223372036854775807n
 * console.log(operations.getPet.deprecated.removedOn, plans.free.perMinute); // 2030-12-05 60
 * ```
 *
 * @module petstore-client/contract
 */
// @ts-nocheck

export { environments, pathPrefix, type Environment } from './environments.js';
export { INT64_MAX, INT64_MIN, Int64Schema } from './int64.js';
export * from './operations.js';
export * from './rate-limits.js';
export * from './schemas.js';
