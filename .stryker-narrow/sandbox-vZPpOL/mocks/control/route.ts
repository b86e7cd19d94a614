// @ts-nocheck
import * as z from 'zod/mini';
import { toJSONSchema } from 'zod/v4/core';
import { stringifyJson } from '../../src/contract/json.js';
import type { MockService } from '../service/types.js';
import { custom } from '../utils/check.js';
import { isRecord } from '../utils/options.js';
import type { Worlds } from './worlds.js';

/** A request to the control API, as its route has checked it. */
export interface ControlInput<Body = unknown, Query = unknown> {
  /** The service of the world that the request names. */
  readonly service: MockService;
  /** The name of that world; empty for the first one. */
  readonly world: string;
  readonly worlds: Worlds;
  /** The end of the path, decoded, where the path of the route ends with a parameter. */
  readonly id: string;
  readonly body: Body;
  readonly query: Query;
}

/** One route of the control API. It answers JSON; 204 when `run` returns nothing. */
export interface ControlRoute<
  Body extends z.ZodMiniType = z.ZodMiniType,
  Query extends z.ZodMiniObject = z.ZodMiniObject,
> {
  readonly summary: string;
  readonly body?: Body;
  readonly query?: Query;
  readonly response?: z.ZodMiniType;
  run(input: ControlInput<z.output<Body>, z.output<Query>>): unknown;
}

/** A route whose `run` gets what its schemas have read. */
export const route = <Body extends z.ZodMiniType, Query extends z.ZodMiniObject>(
  row: ControlRoute<Body, Query>,
): ControlRoute => row as ControlRoute;

/** The JSON schema of what a schema accepts. */
export function jsonSchema(schema: z.ZodMiniType): z.core.JSONSchema.BaseSchema {
  const { $schema: _, ...made } = toJSONSchema(schema, { unrepresentable: 'any', io: 'input' });
  return made;
}

/** An object that the service itself checks, by `schema`. `what` it is, in words. */
export const checkedByService = <Schema extends z.ZodMiniType>(
  what: string,
  schema: Schema,
): z.ZodMiniType<z.input<Schema>> =>
  custom<z.input<Schema>>(what, isRecord, () => jsonSchema(schema));

/** A length of time, or a time: the service reads it. */
export const duration = z.union([z.number(), z.string()]);

/** A response as JSON; without a body where the value is undefined. */
export function json(value: unknown, status = 200, headers: object = {}): Response {
  if (value === undefined) return new Response(null, { status: 204 });
  return new Response(stringifyJson(value), {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers },
  });
}

/** A request that the control API rejects, with the response. */
export class ControlError extends Error {
  readonly response: Response;
  constructor(status: number, code: string, message: string, headers?: object) {
    super(message);
    this.response = json({ code, message, status }, status, headers);
  }
}

/** The error of something that is not there. */
export const notFound = (message: string): ControlError =>
  new ControlError(404, 'not_found', message);
