/** The cases that `only` names. */
import { describeValue, meant } from '../utils/options.js';
import { cases } from './cases/index.js';
import { assumptionOf, assumptionPrefix } from './case.js';

const groups = [...new Set(cases.map(({ id }) => id.split('.')[0]!))];
const assumptions = cases.flatMap((one) => assumptionOf(one) ?? []);
const known = [...groups, ...assumptions, ...cases.map(({ id }) => id)];

/** @throws TypeError that quotes the first name that is no case, group or assumption. */
export function checkSelection(only: readonly unknown[]): void {
  const groupNames = groups.filter((name) => !cases.some(({ id }) => id === name)).join(', ');
  if (only.length === 0)
    throw new TypeError(`only is empty: name a case, an assumption or a group (${groupNames})`);
  for (const name of only) {
    if (known.includes(name as string)) continue;
    const text = typeof name === 'string' ? name : describeValue(name);
    throw new TypeError(
      `only: no case, assumption or group is named "${text}"${meant(text, known) || '.'} The groups: ${groupNames}. petstore-mock verify --list prints all names`,
    );
  }
}

/** Whether a case is named, by itself or with its group. */
export function isNamed(id: string, only: readonly string[]): boolean {
  return only.some(
    (name) => id === name || id.startsWith(`${name}.`) || id === assumptionPrefix + name,
  );
}

/** Whether a case is named, or one that depends on it. */
export function isSelected(id: string, only: readonly string[]): boolean {
  return (
    isNamed(id, only) ||
    cases.some((one) => (one.after ?? []).includes(id) && isSelected(one.id, only))
  );
}
