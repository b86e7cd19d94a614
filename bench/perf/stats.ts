/** The value below which `part` (0 to 1) of the values lie. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * part;
  const low = sorted[Math.floor(at)] ?? NaN;
  const high = sorted[Math.ceil(at)] ?? NaN;
  return low + (high - low) * (at - Math.floor(at));
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** What two things, measured in turns, cost in relation to each other. */
export interface Ratio {
  /** Median of the ratios of the pairs, and the quarter below and above it. */
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  /** Medians, µs. */
  readonly base: number;
  readonly own: number;
}

/** From pairs of µs, the baseline first. */
export function ratioOf(pairs: readonly (readonly [base: number, own: number])[]): Ratio {
  const ratios = pairs.map(([base, own]) => own / base);
  return {
    ratio: median(ratios),
    low: quantile(ratios, 0.25),
    high: quantile(ratios, 0.75),
    base: median(pairs.map(([base]) => base)),
    own: median(pairs.map(([, own]) => own)),
  };
}

/** Slope of the line of least squares through points, in y per x. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (at: 0 | 1) => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  const over = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return over / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}
