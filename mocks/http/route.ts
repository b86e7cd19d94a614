import {
  environments,
  environmentVariable,
  pathPrefix,
  type Environment,
} from '../../src/contract/environments.js';
import { operations, type OperationName } from '../../src/contract/operations.js';
import { attempt, mapValues, nearest } from '../utils/options.js';
import type { Assumptions } from '../assumptions/assumptions.js';
import { Problem } from './problem.js';

/** A method and a path, and what handles a request for them: an operation, or overrides. */
export interface Row {
  /** The operation, or method and pattern. */
  readonly id: string;
  readonly method: string;
  /** Matches the path after the prefix; each `{name}` of the path is one segment. */
  readonly pattern: RegExp;
  /** The names of the path parameters. */
  readonly params: readonly string[];
  /** Undefined for a path that only overrides handle. */
  readonly operation: OperationName | undefined;
}

/** A row with the values of its path parameters. */
export interface Match {
  readonly row: Row;
  readonly params: readonly string[];
}

/** Where a request leads, or the problem when it leads nowhere. */
export type Route = Match | Problem;

/** A path that exists in the interface, but whose operations and their shape are not published. */
const unpublishedPath = '/store/orders';

/** Each row of the table of operations. Pure, so that a bundle of the msw handlers holds no schemas. */
export const rows: readonly Row[] = /* @__PURE__ */ Object.values(operations).map(
  ({ name, method, path }) => ({ ...pathRow(method, path), id: name, operation: name }),
);

/** The text as a part of a pattern, which matches it and nothing else. */
export function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** The row of a path in which `{name}` is one segment. */
export function pathRow(method: string, path: string): Row {
  const fixed = path.split(/\{\w+\}/).map(escapePattern);
  const pattern = new RegExp(`^${fixed.join('([^/]+)')}$`);
  const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  return { id: `${method} ${pattern.source}`, method, pattern, params, operation: undefined };
}

/** Finds the route of a method and path: first among the overrides, then in the table of operations. */
export function findRoute(
  method: string,
  path: string,
  { assumptions }: { readonly assumptions: Assumptions },
  now: number,
  overridden: readonly Row[],
): Route {
  const inner = path.startsWith(`${pathPrefix}/`) ? path.slice(pathPrefix.length) : undefined;
  if (inner === undefined) return unknownPath(path);
  const allowed = new Set<string>();
  for (const row of [...overridden, ...rows]) {
    const found = row.pattern.exec(inner);
    if (!found) continue;
    if (row.method === method)
      return (
        removed(row.operation, assumptions, now) ?? { row, params: found.slice(1).map(decode) }
      );
    allowed.add(row.method);
  }
  if (inner === unpublishedPath && assumptions.answers.storeOrders !== 'ignore') {
    const hint = `the interface shows no fields: answer with service.override('${method} ${unpublishedPath}', handler)`;
    return new Problem(
      'storeOrders',
      'Store orders exist, but their shape is not published.',
      hint,
    );
  }
  if (allowed.size === 0) return unknownPath(path);
  const allow = [...allowed].join(', ');
  const message = `${method} is not allowed here.`;
  return new Problem('wrongMethod', message, `use ${allow}`, { allow });
}

/** The problem of an operation that has been removed by now; undefined for any other. */
function removed(name: OperationName | undefined, assumptions: Assumptions, now: number) {
  if (name === undefined || assumptions.answers.removed === 'ignore') return undefined;
  const { deprecated } = operations[name] as {
    deprecated?: { removedOn: string; replacement: string };
  };
  if (!deprecated) return undefined;
  const { removedOn, replacement } = deprecated;
  const day = Date.parse(removedOn);
  if (now < (assumptions.removedFrom === 'start-of-day' ? day : day + 86_400_000)) return undefined;
  const message = `${name} was removed on ${removedOn}.`;
  return new Problem('removed', message, `use ${replacement} instead`);
}

function unknownPath(path: string): Problem {
  const all = Object.values(operations);
  const paths = all.map((row) => pathPrefix + row.path);
  const near = nearest(path.slice(0, 60), paths) ?? paths[0]!;
  const { name, method } = all[paths.indexOf(near)]!;
  const hint = `the nearest operation is ${name}: ${method} ${near}`;
  return new Problem('unknownPath', 'There is nothing at this path.', hint);
}

const decode = (segment: string) => attempt(() => decodeURIComponent(segment)) ?? segment;

/** The address of each environment, without `/v1` and trailing slashes: from its variable, or the placeholder. */
export type EnvironmentAddresses = Readonly<Record<Environment, string>>;

/** Whether a value is an absolute http: or https: URL: `localhost:8080` is a URL too, of the scheme `localhost:`. */
export const isHttpUrl = (value: unknown): value is string =>
  typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value);

/** Reads the addresses of both environments. A variable that holds no http: or https: URL counts as unset. */
export const environmentAddresses = (): EnvironmentAddresses =>
  mapValues(environments, ({ variable, placeholder }) => {
    const given = environmentVariable(variable);
    return withoutPathPrefix(isHttpUrl(given) ? given : placeholder);
  });

/** An address without `/v1`, trailing slashes, query and fragment. */
export function withoutPathPrefix(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname.replace(/\/+$/, '').replace(/\/v1$/, '');
}

/** The path of an address, of which the service knows nothing: empty where a URL is not below the address. */
export const folderOf = (url: string, address: string): string =>
  url.startsWith(`${address}/`) ? address.slice(url.indexOf('/', 8)) : '';

/** The environment of a URL: staging for an address of staging, production for every other address. */
export function environmentOf(
  url: string,
  { production, staging }: EnvironmentAddresses,
): Environment {
  if (!url.startsWith(`${staging}/`)) return 'production';
  return url.startsWith(`${production}/`) && production.length >= staging.length
    ? 'production'
    : 'staging';
}
