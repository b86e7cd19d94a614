/** The one of `known` that takes the fewest changed letters; undefined when more than half of the letters differ. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((word) => ({ word, distance: editDistance(name.toLowerCase(), word) }))
    .toSorted((one, other) => one.distance - other.distance);
  const isNear = best && best.distance <= Math.max(name.length, best.word.length) / 2;
  return isNear ? best.word : undefined;
}

/** Levenshtein's distance: how many letters must be added, removed or replaced. */
export function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_none, column) => column);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
