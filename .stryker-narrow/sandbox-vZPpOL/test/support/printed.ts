// @ts-nocheck
import { formatWithOptions } from 'node:util';

const lines = new Map<string, string[]>();

/** Stands in for `console` on a line of a block that says what it prints: only the written files call it. @public */
export function printed(line: string): { log(...values: unknown[]): void } {
  return {
    log(...values) {
      lines.set(line, [
        ...(lines.get(line) ?? []),
        formatWithOptions({ colors: false }, ...values),
      ]);
    },
  };
}

/** What a line has printed so far. */
export function printedAt(line: string): readonly string[] {
  return lines.get(line) ?? [];
}
