import * as fc from 'fast-check';

/**
 * With FUZZ_SEED every property test makes the same runs. CI takes it from the commit: what was green stays green, and each commit
 * tries others. Without it they differ each time.
 */
const { FUZZ_SEED } = process.env;
if (FUZZ_SEED !== undefined) fc.configureGlobal({ seed: Number(FUZZ_SEED) });

export { fc };

/** The seed of a fuzz test that makes the same runs also without FUZZ_SEED. */
export const fuzzSeed: number = Number(FUZZ_SEED ?? 20_260_101);

/** A text of any code points, surrogates alone included. (The unit `binary` of fast-check takes seconds to be made.) */
export const anyText = (constraints: fc.StringConstraints = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit: fc.nat(0x10_ffff).map((code) => String.fromCodePoint(code)) });

/**
 * The runs of a fuzz test: `usual` in `npm test`, `long` in `npm run test:slow`, and as many as `FUZZ_RUNS` says where it is set. A file
 * that calls this belongs to both.
 */
export function fuzzRuns(usual: number, long: number = 3 * usual): number {
  return Number(process.env['FUZZ_RUNS'] ?? (process.env['IS_SLOW'] === undefined ? usual : long));
}

/** The rounds of a slow test: a tenth of `whole`, and all with `SLOW_SHARE=1 npm run test:slow`, which takes half an hour. */
export function slowRounds(whole: number): number {
  return Math.ceil(whole * Number(process.env['SLOW_SHARE'] ?? 0.1));
}
