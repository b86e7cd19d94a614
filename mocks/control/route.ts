import type * as z from 'zod/mini';
import { invalidValue } from './read-body.js';
import type { MockService } from '../service/types.js';
import type { Worlds } from './worlds.js';

/** A request to the control API. */
export interface ControlInput {
  /** The service of the world that the request names. */
  readonly service: MockService;
  /** The name of that world; empty for the first one. */
  readonly world: string;
  readonly worlds: Worlds;
  /** The body, as JSON. The route checks it. */
  readonly body: unknown;
  /** The query, as the parameters of the route have read it. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
}

/** One query parameter: its description, its JSON schema, and how its text is read. */
export interface QueryParameter {
  readonly description: string;
  readonly schema: object;
  readonly read: (text: string, name: string) => unknown;
}

/** One route of the control API. It answers JSON; 204 when `run` returns nothing. */
export interface ControlRoute {
  readonly summary: string;
  readonly body?: z.ZodMiniType;
  /** The JSON schema of the body, where the service checks it and `body` only its shape. */
  readonly bodySchema?: () => object;
  /** The JSON schema of the response; left out where there is no body. */
  readonly response?: () => object;
  readonly query?: Readonly<Record<string, QueryParameter>>;
  readonly run: (input: ControlInput) => unknown;
}

/** Routes by method and path, as in `'GET /pets/{id}'`. */
export type Routes = Readonly<Record<string, ControlRoute>>;

/** A route that was found for a request, with the values of its path parameters. */
export interface RouteMatch {
  readonly route: ControlRoute;
  readonly params: Readonly<Record<string, string>>;
}

/** The route of a method and path; otherwise the methods that the path takes, none for an unknown path. */
export function matchRoute(routes: Routes, method: string, path: string): RouteMatch | string[] {
  const allowed: string[] = [];
  for (const [name, route] of Object.entries(routes)) {
    const [routeMethod = '', template = ''] = name.split(' ');
    const params = matchPath(template, path);
    if (params === undefined) continue;
    if (routeMethod === method) return { route, params };
    allowed.push(routeMethod);
  }
  return allowed;
}

/** The last parameter takes the rest of the path, because a key may contain a slash. */
function matchPath(template: string, path: string): Record<string, string> | undefined {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const pattern = template.replaceAll(/\{\w+\}/g, '(.+)');
  const values = new RegExp(`^${pattern}$`).exec(path)?.slice(1);
  if (!values) return undefined;
  return Object.fromEntries(names.map((name, at) => [name, decode(values[at]!)]));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidValue(`The path has an invalid escape: ${text}`);
  }
}

/** Reads the query of a request. @throws ControlError for a parameter that the route does not know, and for a wrong value. */
export function readQuery(
  given: URLSearchParams,
  known: Readonly<Record<string, QueryParameter>>,
): Record<string, unknown> {
  const names = Object.keys(known);
  const unknown = [...given.keys()].filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    const hint = names.length === 0 ? 'this path takes none' : `known are: ${names.join(', ')}`;
    throw invalidValue(`There is no query parameter ${unknown.join(', ')}: ${hint}.`);
  }
  return Object.fromEntries(
    [...given].map(([name, text]) => [name, known[name]!.read(text, name)]),
  );
}

/** A query parameter that is an integer of at least `least`. */
export function integerParameter(description: string, least: number): QueryParameter {
  return {
    description,
    schema: { type: 'integer', minimum: least },
    read(text, name) {
      const value = Number(text);
      if (text.trim() === '' || !Number.isSafeInteger(value) || value < least)
        throw invalidValue(`${name} must be an integer of ${least} or more.`);
      return value;
    },
  };
}

/** A query parameter that is one of some words. */
export function choiceParameter(description: string, choices: readonly string[]): QueryParameter {
  return {
    description,
    schema: { type: 'string', enum: choices },
    read(text, name) {
      if (choices.includes(text)) return text;
      throw invalidValue(`${name} must be one of ${choices.join(', ')}.`);
    },
  };
}

/** A query parameter that is any text. */
export function textParameter(description: string): QueryParameter {
  return { description, schema: { type: 'string' }, read: (text) => text };
}
