/** The ways of counting that the mock has: the hypotheses of a fit. */
import type { Assumptions, WindowKind } from '../../assumptions/assumptions.js';
import { defaultAssumptions } from '../../assumptions/assumptions.js';

/** One way of counting. */
export interface Hypothesis {
  readonly minuteWindow: WindowKind;
  readonly resetMeaning: Assumptions['resetMeaning'];
  readonly countingScope: Assumptions['countingScope'];
  readonly unauthorizedCount: boolean;
  readonly refusedCount: boolean;
}

const kinds: readonly WindowKind[] = ['fixed', 'from-first', 'sliding', 'token-bucket'];
const resets = ['full', 'next-slot'] as const;
export const countingScopes = ['key', 'key-and-operation', 'everyone'] as const;

/** Every way of counting: the mock has no other. */
export const hypotheses: readonly Hypothesis[] = kinds.flatMap((minuteWindow) =>
  resets.flatMap((resetMeaning) =>
    countingScopes.flatMap((countingScope) =>
      [false, true].flatMap((unauthorizedCount) =>
        [false, true].map((refusedCount) => ({
          minuteWindow,
          resetMeaning,
          countingScope,
          unauthorizedCount,
          refusedCount,
        })),
      ),
    ),
  ),
);

/**
 * Hypotheses with the same name have the same effect on answers with a key, and need be replayed only once. `hasRefused`:
 * whether there was a 429.
 */
export function sameForKeys(one: Hypothesis, hasRefused: boolean): string {
  const { minuteWindow, countingScope } = one;
  const rolls = minuteWindow === 'sliding' || minuteWindow === 'token-bucket';
  return [
    minuteWindow,
    rolls ? one.resetMeaning : '',
    countingScope,
    countingScope === 'everyone' ? one.unauthorizedCount : '',
    hasRefused ? one.refusedCount : '',
  ].join(' ');
}

const names = [
  'minuteWindow',
  'resetMeaning',
  'countingScope',
  'unauthorizedCount',
  'refusedCount',
] as const satisfies readonly (keyof Hypothesis)[];

/** True for an assumption that a way of counting consists of. */
export const isCounting = (name: string): boolean => (names as readonly string[]).includes(name);

/** In what a way of counting differs from that of some assumptions. */
export function differencesFrom(assumptions: Assumptions, one: Hypothesis): (keyof Hypothesis)[] {
  return names.filter((name) => one[name] !== assumptions[name]);
}

/** In what a way of counting differs from the mock's default. */
export const notDefault = (one: Hypothesis): (keyof Hypothesis)[] =>
  differencesFrom(defaultAssumptions, one);

/** The values of one assumption that are left among the hypotheses. */
export function valuesOf<Name extends keyof Hypothesis>(
  left: readonly Hypothesis[],
  name: Name,
): Hypothesis[Name][] {
  return [...new Set(left.map((one) => one[name]))];
}
