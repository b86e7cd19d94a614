/** One problem of a value: its path, and what is expected there. */
export interface Issue {
  /** The path to the value, such as `['categoryId']` or `[3, 'status']`. */
  readonly path: readonly (string | number)[];
  /** What is wrong, and what is expected: `must be one of available, pending, sold, got "lost"`. */
  readonly message: string;
}

/** The issues that a schema reports: Zod's, or those of a Standard Schema. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The largest number of issues that an error lists. One more issue says how many are omitted. */
const maxIssues = 20;
/** The largest number of issues that a message shows. */
const maxShownIssues = 3;

/** Converts the first issues of a schema to issues of an error. `prefix` is the path of the checked value itself. */
export function toIssues(
  issues: readonly SchemaIssue[],
  prefix: readonly (string | number)[] = [],
): Issue[] {
  const listed: Issue[] = issues.slice(0, maxIssues).map(({ message, path = [] }) => {
    const keys = path.map((part) => (typeof part === 'object' ? part.key : part));
    return {
      path: [...prefix, ...keys.map((key) => (typeof key === 'symbol' ? String(key) : key))],
      message,
    };
  });
  if (issues.length > maxIssues)
    listed.push({ path: [], message: `has ${issues.length - maxIssues} more issues` });
  return listed;
}

/** Issues as text for a message: `categoryId is required: an integer (int64); status must be one of …`. */
export function describeIssues(issues: readonly Issue[]): string {
  const lines = issues
    .slice(0, maxShownIssues)
    .map(({ path, message }) => `${path.length === 0 ? 'the value' : formatPath(path)} ${message}`);
  const more = issues.length > maxIssues ? 'many' : issues.length - maxShownIssues;
  return lines.join('; ') + (issues.length > maxShownIssues ? `; and ${more} more` : '');
}

function formatPath(path: readonly (string | number)[]): string {
  return path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : i === 0 ? part : `.${part}`))
    .join('');
}
