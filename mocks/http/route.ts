import { operations, type OperationName } from '../../src/contract/index.js';
import type { Assumptions } from '../assumptions/assumptions.js';
import { Problem } from './problem.js';

/** What a request asks for: an operation with its path parameters, or why it asks for none. */
export type Route =
  { readonly operation: OperationName; readonly params: readonly string[] } | Problem;

/** Paths that exist in the interface, but whose shape is not published. */
const unpublished = { method: 'GET', path: '/store/orders' } as const;

/** Each row of the table as a pattern; `{name}` is one segment. */
const rows = Object.values(operations).map(({ name, method, path }) => ({
  name,
  method,
  path,
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '([^/]+)')}$`),
}));

/** Finds the operation of a method and path in the table of the contract. */
export function route(
  method: string,
  path: string,
  basePath: string,
  assumptions: Assumptions,
  now: number,
): Route {
  const inner = path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : undefined;
  if (inner === undefined) return unknownPath(path, basePath);
  const allowed: string[] = [];
  for (const row of rows) {
    const found = row.pattern.exec(inner);
    if (!found) continue;
    if (row.method === method)
      return (
        removed(row.name, assumptions, now) ?? {
          operation: row.name,
          params: found.slice(1).map(decode),
        }
      );
    allowed.push(row.method);
  }
  if (inner === unpublished.path) {
    if (method !== unpublished.method) allowed.push(unpublished.method);
    else if (assumptions.storeOrders !== 404)
      return new Problem(
        'notPublished',
        assumptions.storeOrders,
        'Store orders exist, but their shape is not published.',
        'answer it yourself: the interface shows no fields',
      );
  }
  if (allowed.length === 0) return unknownPath(path, basePath);
  const allow = allowed.join(', ');
  return new Problem('wrongMethod', 405, `${method} is not allowed here.`, `use ${allow}`, {
    allow,
  });
}

function removed(name: OperationName, assumptions: Assumptions, now: number): Problem | undefined {
  const { deprecated } = operations[name] as {
    deprecated?: { removedOn: string; advice: string; replacement: string };
  };
  if (!deprecated || assumptions.removedOperation === 'works') return undefined;
  const day = Date.parse(deprecated.removedOn);
  if (now < (assumptions.removedFrom === 'start-of-day' ? day : day + 86_400_000)) return undefined;
  return new Problem(
    'removed',
    assumptions.removedOperation,
    `${name} was removed on ${deprecated.removedOn}.`,
    `use ${deprecated.replacement} instead`,
  );
}

function unknownPath(path: string, basePath: string): Problem {
  const near = rows
    .map((row) => ({ row, distance: distance(path, basePath + row.path) }))
    .sort((a, b) => a.distance - b.distance)[0]!.row;
  return new Problem(
    'unknownPath',
    404,
    'There is nothing at this path.',
    `the nearest operation is ${near.name}: ${near.method} ${basePath}${near.path}`,
  );
}

/** Levenshtein's distance, over the beginning of long paths. */
function distance(given: string, known: string): number {
  const text = given.slice(0, 60);
  let row = Array.from({ length: known.length + 1 }, (_, index) => index);
  for (let i = 1; i <= text.length; i++) {
    const above = row;
    row = [i];
    for (let j = 1; j <= known.length; j++)
      row[j] = Math.min(
        above[j]! + 1,
        row[j - 1]! + 1,
        above[j - 1]! + (text[i - 1] === known[j - 1] ? 0 : 1),
      );
  }
  return row[known.length]!;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
