// @ts-nocheck
import { expect, test } from 'vitest';
import { median, quantile, ratioOf, slope } from '../../bench/stats.js';

test('a quantile lies between the values around it, in whatever order they come', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
  expect(quantile([10, 30, 20], 0.25)).toBe(15);
  expect(quantile([7], 0.9)).toBe(7);
});

test('a ratio is the median of the ratios of the pairs, and not that of the medians: a slow moment slows both', () => {
  const pairs = ['1 2', '10 20', '2 6'].map((pair) => pair.split(' ').map(Number));
  expect(ratioOf(pairs as [number, number][])).toEqual({ middle: 2, low: 2, high: 2.5 });
});

test('a slope is that of the line of least squares: nothing where the heap is flat, whatever it holds', () => {
  const through = (...ys: number[]) => slope(ys.map((y, at) => [[1, 2, 9][at]!, y]));
  expect(through(5, 7, 21)).toBeCloseTo(2);
  expect(through(100, 100, 100)).toBe(0);
});
