/** The value below which `part` (0 to 1) of the values lie. */
// @ts-nocheck

export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * part;
  const low = sorted[Math.floor(at)] ?? NaN;
  const high = sorted[Math.ceil(at)] ?? NaN;
  return low + (high - low) * (at - Math.floor(at));
}

export const median = (values: readonly number[]) => quantile(values, 0.5);

/** NaN without values. */
export const average = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The median of some values, and the quarter below and above it. */
export function spread(values: readonly number[]) {
  return { middle: median(values), low: quantile(values, 0.25), high: quantile(values, 0.75) };
}

export type Spread = ReturnType<typeof spread>;

/** What two things, measured in turns, cost in relation to each other: the ratios of the pairs, the baseline first. */
export const ratioOf = (pairs: readonly (readonly [base: number, own: number])[]) =>
  spread(pairs.map(([base, own]) => own / base));

/** Slope of the line of least squares through points, in y per x. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const [meanX, meanY] = [average(points.map(([x]) => x)), average(points.map(([, y]) => y))];
  const over = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return over / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}
