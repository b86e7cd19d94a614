import type * as core from 'zod/v4/core';

/** One thing that is wrong with a value: where, and what is expected there. */
export interface Issue {
  /** The way to the value, as in `['categoryId']` or `[3, 'status']`. */
  readonly path: readonly (string | number)[];
  /** What is wrong, and what is expected: `must be one of available, pending, sold, got "lost"`. */
  readonly message: string;
}

/** Issues in the words of a message: `categoryId is required: an integer (int64); status must be one of …`. */
export function describeIssues(issues: readonly Issue[]): string {
  const lines = issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.length === 0 ? 'the value' : formatPath(path)} ${message}`);
  return lines.join('; ') + (issues.length > 3 ? `; and ${issues.length - 3} more` : '');
}

function formatPath(path: readonly (string | number)[]): string {
  return path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : i === 0 ? part : `.${part}`))
    .join('');
}

export function toIssues(
  issues: readonly core.$ZodIssue[],
  prefix: readonly (string | number)[] = [],
): Issue[] {
  return issues.map((issue) => ({
    // The schemas of the contract have no symbols for keys.
    path: [...prefix, ...(issue.path as (string | number)[])],
    message: issue.message.slice(0, 500),
  }));
}
