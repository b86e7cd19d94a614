/** Selects what a run sends: everything, or the requests that show the names in `only`. */
import { allAsks, type Ask } from './asks.js';
import { meant } from '../utils/options.js';
import { whyNoneSent } from './ask/run.js';
import { shownBy } from './replay/infer.js';
import { rowNames } from './replay/rows.js';
import type { Settings } from './settings.js';
import { isShownByAll, statements } from './statements/table.js';

/** Every name that `only` takes, without those of groups. */
export const knownNames: readonly string[] = [...statements.map(({ id }) => id), ...rowNames];
const groups = [...new Set(knownNames.flatMap((name) => name.split('.').slice(0, -1)))];

/** What `petstore-mock verify --list` prints: every name that `only` takes, and what the statements say. */
export const nameList = (): string =>
  [...statements.map(({ id, title }) => `${id.padEnd(26)}  ${title}`), ...rowNames, ''].join('\n');

/** Whether a statement or an assumption is named, by itself or with its group. */
export const isNamed = (id: string, only: readonly string[]): boolean =>
  only.some((name) => id === name || id.startsWith(`${name}.`));

/** @throws TypeError that quotes a name that does not exist, or says what it takes to ask for what is named. */
export async function select({ only, closed }: Settings): Promise<readonly Ask[]> {
  const isAllowed = ({ needs }: Ask) => !(needs && needs in closed);
  if (!only) return allAsks.filter(isAllowed);
  checkNames(only);
  const shown = await shownBy();
  const showing = (name: string) =>
    allAsks.filter((ask) => ask.shows?.includes(name) || shown.get(name)?.has(ask.name));
  const named = knownNames.filter((name) => isNamed(name, only));
  const needed = new Set(named.flatMap(showing));
  const allowedOnes = [...needed].filter(isAllowed);
  if (allowedOnes.length === 0 && !named.some(isShownByAll)) {
    const why = whyNoneSent([...needed], { closed });
    throw new TypeError(`only: nothing that it names would be asked: ${why}`);
  }
  // The first two are always needed to judge the others.
  return allAsks.filter(
    (ask) => ['list', 'wholeList'].includes(ask.name) || allowedOnes.includes(ask),
  );
}

function checkNames(only: readonly unknown[]): void {
  const known = [...groups, ...knownNames];
  const all = groups.join(', ');
  if (only.length === 0)
    throw new TypeError(`only is empty: name a statement, an assumption or a group (${all})`);
  for (const name of only.map(String)) {
    if (known.includes(name)) continue;
    throw new TypeError(
      `only: no statement, assumption or group is named "${name}"${meant(name, known) || '.'} The groups: ${all}. petstore-mock verify --list prints all names`,
    );
  }
}
