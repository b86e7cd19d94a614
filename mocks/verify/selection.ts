/** What a run sends: everything, or what shows the names that `only` gives. */
import { asks, burst, type Ask } from './asks.js';
import { describeValue, meant } from '../utils/options.js';
import { countingRows } from './replay/counting.js';
import { shownBy } from './replay/infer.js';
import { rowNames } from './replay/rows.js';
import type { Settings } from './settings.js';
import { statements } from './statements/index.js';
import type { Statement } from './statements/statement.js';
import { whyNotSent } from './ask/why-not-sent.js';

/** The requests of a run. */
export interface Selection {
  readonly asks: readonly Ask[];
  /** Whether the run asks how requests are counted. */
  readonly isCounted: boolean;
}

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
/** What shows how requests are counted: with a key, with another one, and without. */
const ofCounting = (ask: Ask) => ask.key !== 'own' || ask.needs === 'second-key';

/** @throws TypeError that quotes a name that does not exist, or says what it takes to ask for what is named. */
export async function select({ only, allowed }: Settings): Promise<Selection> {
  const all = [...asks, burst];
  const isAllowed = ({ needs }: Ask) => allowed.has(needs);
  if (!only) return { asks: all.filter(isAllowed), isCounted: true };
  checkNames(only);
  const shown = await shownBy();
  const named = knownNames.filter((name) => isNamed(name, only));
  const isCounted = named.some((name) => countingRows.includes(name) || name === 'retryAfter');
  const wanted = new Set(
    named.flatMap((name) => {
      const statement = statements.find(({ id }) => id === name);
      if (statement) return asksOf(statement);
      return name === 'retryAfter' || name === 'refusedCount'
        ? 'burst'
        : [...(shown.get(name)?.asks ?? [])];
    }),
  );
  const needed = all.filter((ask) => wanted.has(ask.name) || (isCounted && ofCounting(ask)));
  const isAnyAsked = needed.some(isAllowed) || named.some((name) => isFree(name));
  if (!isAnyAsked) {
    const nothing = { allowed, exchanges: [], petsCreated: [] } as never;
    const reasons = new Set(needed.map((ask) => whyNotSent(ask, nothing)));
    throw new TypeError(
      `only: nothing that it names would be asked: ${[...reasons].join('; ') || 'no request shows it'}`,
    );
  }
  const sent = all.filter((ask) => always.includes(ask.name) || needed.includes(ask));
  return { asks: sent.filter(isAllowed), isCounted };
}

const asksOf = ({ asks: own }: Statement): readonly string[] =>
  own === 'all' ? [] : own === 'limit' ? ['burst'] : own;

/** Shown by every answer. */
const isFree = (name: string): boolean =>
  name === 'clockSkew' || statements.some(({ id, asks: own }) => id === name && own === 'all');

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
