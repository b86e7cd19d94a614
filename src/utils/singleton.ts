/** What the whole process shares, also between the two builds and several copies of the package: one value a name, made at first use. */
export function singleton<T>(name: string, make: () => T): T {
  const slots = globalThis as unknown as Record<symbol, T | undefined>;
  return (slots[Symbol.for(`petstore-client.${name}`)] ??= make());
}
