/** What a run sends: everything, or what shows the names that `only` gives. */
import { allAsks, burst, probes, type Ask } from './asks.js';
import { describeValue, meant } from '../utils/options.js';
import { countingRows } from './replay/counting.js';
import { shownBy } from './replay/infer.js';
import { rowNames } from './replay/rows.js';
import type { Settings } from './settings.js';
import { showing } from './statements/index.js';
import { statements } from './statements/table.js';
import { whyNotSent } from './ask/why-not-sent.js';

/** Every name that `only` takes, without those of groups. */
export const knownNames: readonly string[] = [...statements.map(({ id }) => id), ...rowNames];
const groups = [...new Set(knownNames.flatMap((name) => name.split('.').slice(0, -1)))];

/** What `petstore-mock verify --list` prints: every name that `only` takes. */
export function nameList(): string {
  const width = Math.max(...statements.map(({ id }) => id.length));
  return [
    'Names for --only. What stands before a dot is a group: --only list,auth',
    '',
    'Statements of the interface',
    ...statements.map(({ id, title }) => `  ${id.padEnd(width)}  ${title}`),
    '',
    'Assumptions: what the interface leaves open',
    ...rowNames.map((name) => `  ${name}`),
    '',
  ].join('\n');
}

/** Whether a statement or an assumption is named, by itself or with its group. */
export const isNamed = (id: string, only: readonly string[]): boolean =>
  only.some((name) => id === name || id.startsWith(`${name}.`));

/** What everything else is judged by. */
const always = ['list', 'wholeList'];

/** The requests that show a name; undefined for what every answer shows. */
async function asksFor(name: string): Promise<readonly Ask[] | undefined> {
  if (name === 'retryAfter' || name === 'refusedCount') return [...ofCounting, burst];
  if (countingRows.includes(name)) return ofCounting;
  const shown = (await shownBy()).get(name);
  if (shown) return allAsks.filter((ask) => shown.has(ask.name));
  const own = showing(name);
  const isOfAll = name === 'clockSkew' || statements.some(({ id }) => id === name);
  return own.length === 0 && isOfAll ? undefined : own;
}

/** What shows how requests are counted: later, with another key, and without. */
const ofCounting = allAsks.filter(
  (ask) => probes.includes(ask) || ask.key !== 'own' || ask.needs === 'second-key',
);

/** @throws TypeError that quotes a name that does not exist, or says what it takes to ask for what is named. */
export async function select({ only, allowed }: Settings): Promise<readonly Ask[]> {
  const isAllowed = ({ needs }: Ask) => allowed.has(needs);
  if (!only) return allAsks.filter(isAllowed);
  checkNames(only);
  const named = knownNames.filter((name) => isNamed(name, only));
  const found = await Promise.all(named.map(asksFor));
  const needed = found.flatMap((asks) => asks ?? []);
  if (!found.includes(undefined) && !needed.some(isAllowed)) {
    const nothing = { allowed, exchanges: [], petsCreated: [] };
    const reasons = new Set(needed.map((ask) => whyNotSent(ask, nothing)));
    throw new TypeError(
      `only: nothing that it names would be asked: ${[...reasons].join('; ') || 'no request shows it'}`,
    );
  }
  return allAsks.filter(
    (ask) => always.includes(ask.name) || (needed.includes(ask) && isAllowed(ask)),
  );
}

function checkNames(only: readonly unknown[]): void {
  const known = [...groups, ...knownNames];
  if (only.length === 0)
    throw new TypeError(
      `only is empty: name a statement, an assumption or a group (${groups.join(', ')})`,
    );
  for (const name of only) {
    if (known.includes(name as string)) continue;
    const text = typeof name === 'string' ? name : describeValue(name);
    throw new TypeError(
      `only: no statement, assumption or group is named "${text}"${meant(text, known) || '.'} The groups: ${groups.join(', ')}. petstore-mock verify --list prints all names`,
    );
  }
}
