/** A process of its own for one case: its name and input as arguments, and its result as a message. */
import * as cases from './cases.js';

const [name, input] = process.argv.slice(2);
const run = cases[name as keyof typeof cases] as (input: unknown) => Promise<unknown>;
const result = await run(JSON.parse(input ?? '{}'));
// A case that measures in slices goes on, until its parent ends it.
process.send?.(result, () => typeof result === 'object' && process.exit());
