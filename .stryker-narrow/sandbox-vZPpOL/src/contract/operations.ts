// @ts-nocheck
import type * as core from 'zod/v4/core';
import {
  ErrorSchema,
  ListPetsQuerySchema,
  NewPetSchema,
  PetListSchema,
  PetSchema,
} from './schemas.js';
import { Int64Schema } from './int64.js';

/**
 * How stable an operation is. Service interface: "Versioning", 4: some operations may carry such a marker, and the interface
 * does not show which. That all operations are `stable` is an assumption of this package. The method of another one
 * carries the badge `beta` or `experimental` in the reference.
 */
export type Stability = 'stable' | 'beta' | 'experimental';

/** When an operation will be removed, and what to call instead. */
export interface Deprecation {
  /** The day of removal, `YYYY-MM-DD`, UTC. */
  readonly removedOn: string;
  /** The operation to call instead. */
  readonly replacement: string;
  /** What to do, in one sentence. */
  readonly advice: string;
}

/** One row of the table of {@link operations}: everything that the client and the mock service need to know about an operation. */
export interface Operation {
  /** The name, such as `listPets`. */
  readonly name: string;
  /** What it does, in a few words. */
  readonly summary: string;
  /** The HTTP method. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path behind the `/v1` prefix; `{name}` is a path parameter. */
  readonly path: `/${string}`;
  /** The schema of each path parameter. */
  readonly params?: Readonly<Record<string, core.$ZodType>>;
  /** The schema of the query: an object with one field for each parameter. */
  readonly query?: core.$ZodType;
  /** The schema of the request body. An operation without it sends no body. */
  readonly body?: core.$ZodType;
  /** What the path and query parameters mean, by name. */
  readonly parameterTexts?: Readonly<Record<string, string>>;
  /** The status of success, 200 to 299. */
  readonly success: number;
  /**
   * The schema of each status that the interface names. `undefined`: there is no body, as with 204, or its shape is not
   * published, as with 429.
   */
  readonly responses: Readonly<Record<number, core.$ZodType | undefined>>;
  /** What a status means for this operation, where the usual text of the OpenAPI description does not fit. */
  readonly responseTexts?: Readonly<Record<number, string>>;
  /** How stable the operation is: an assumption, see {@link Stability}. */
  readonly stability: Stability;
  /** When the operation will be removed, if that is known. */
  readonly deprecated?: Deprecation;
}

/**
 * The operations of the service, as data: the one place that the client, the mock service and the OpenAPI description read.
 * Service interface: "Endpoints".
 */
export const operations = {
  listPets: {
    name: 'listPets',
    summary: 'List animals',
    method: 'GET',
    path: '/pets',
    query: ListPetsQuerySchema,
    parameterTexts: {
      limit: 'Maximum number of animals returned.',
      status: 'Only animals with this availability.',
    },
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
    responseTexts: { 201: 'The animal as added, with its assigned `id`.' },
    stability: 'stable',
  },
  getPet: {
    name: 'getPet',
    summary: 'Get an animal',
    method: 'GET',
    path: '/pets/{petId}',
    params: { petId: Int64Schema },
    parameterTexts: { petId: 'Identifier of the animal.' },
    success: 200,
    responses: { 200: PetSchema, 401: ErrorSchema, 404: ErrorSchema, 429: undefined },
    stability: 'stable',
    deprecated: {
      removedOn: '2030-12-05',
      replacement: 'listPets',
      advice:
        'getPet is deprecated and will be removed on 5 December 2030: use listPets with the status filter.',
    },
  },
} as const satisfies Record<string, Operation>;

/** The name of an operation of the service. */
export type OperationName = keyof typeof operations;
