/** A process of its own for one case: the name of the case and its input as arguments, its result on standard output. */
const [name, input] = process.argv.slice(2);
const { default: run } = (await import(`./cases/${name}.ts`)) as {
  default: (input: unknown) => Promise<unknown>;
};
const result = await run(JSON.parse(input ?? '{}'));
process.stdout.write(`\n${JSON.stringify(result)}\n`, () => process.exit());
