// @ts-nocheck
import { operations } from '../../src/contract/index.js';

/** The methods of the contract, of all paths or of one, in the order of the operations. */
export function allowedMethods(path?: string): string[] {
  const rows = Object.values(operations).filter((row) => path === undefined || row.path === path);
  return [...new Set(rows.map(({ method }) => method))];
}
