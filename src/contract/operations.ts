import type * as core from 'zod/v4/core';
import {
  ErrorSchema,
  ListPetsQuerySchema,
  NewPetSchema,
  PetListSchema,
  PetSchema,
} from './schemas.js';
import { Int64Schema } from './int64.js';

/** How settled an operation is. Service interface: "Versioning", 4. */
export type Stability = 'stable' | 'beta' | 'experimental';

/** When an operation goes away, and what to call instead. */
export interface Deprecation {
  /** The day of removal, `YYYY-MM-DD`, UTC. */
  readonly removedOn: string;
  /** The operation to call instead. */
  readonly replacement: string;
  /** One sentence that says what to do. */
  readonly nextStep: string;
}

/** One row of the table of {@link operations}: everything that client and service need to know of an operation. */
export interface Operation {
  /** The name, as `listPets`. */
  readonly name: string;
  /** What it does, in a few words. */
  readonly summary: string;
  /** The HTTP method. */
  readonly method: 'GET' | 'POST';
  /** Path behind the `/v1` prefix; `{name}` is a path parameter. */
  readonly path: `/${string}`;
  /** The schema of each path parameter. */
  readonly params?: Readonly<Record<string, core.$ZodType>>;
  /** The schema of the query. */
  readonly query?: core.$ZodType;
  /** The schema of the request's body. */
  readonly body?: core.$ZodType;
  /** The status of success. */
  readonly success: 200 | 201;
  /** The schema of each status that the interface names; `undefined` where a body is not known, as that of 429. */
  readonly responses: Readonly<Record<number, core.$ZodType | undefined>>;
  /** How settled it is. No operation is known to be other than stable. */
  readonly stability: Stability;
  /** When it goes away, where that is known. */
  readonly deprecated?: Deprecation;
}

/**
 * The operations of the service, as data: the one place that client, mock service and OpenAPI description read.
 * Service interface: "Endpoints".
 */
export const operations = {
  listPets: {
    name: 'listPets',
    summary: 'List animals',
    method: 'GET',
    path: '/pets',
    query: ListPetsQuerySchema,
    success: 200,
    responses: { 200: PetListSchema, 401: ErrorSchema, 429: undefined },
    stability: 'stable',
  },
  createPet: {
    name: 'createPet',
    summary: 'Add an animal',
    method: 'POST',
    path: '/pets',
    body: NewPetSchema,
    success: 201,
    responses: { 201: PetSchema, 400: ErrorSchema, 401: ErrorSchema, 429: undefined },
    stability: 'stable',
  },
  getPet: {
    name: 'getPet',
    summary: 'Get an animal',
    method: 'GET',
    path: '/pets/{petId}',
    params: { petId: Int64Schema },
    success: 200,
    responses: { 200: PetSchema, 401: ErrorSchema, 404: ErrorSchema, 429: undefined },
    stability: 'stable',
    deprecated: {
      removedOn: '2030-12-05',
      replacement: 'listPets',
      nextStep:
        'getPet is deprecated and will be removed on 5 December 2030: use listPets with the status filter.',
    },
  },
} as const satisfies Record<string, Operation>;

/** The name of an operation of the service. */
export type OperationName = keyof typeof operations;
