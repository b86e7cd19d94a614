/** Runs the functions of the module that is its argument: their names and inputs come as messages, their results go as messages. */
// @ts-nocheck

interface Message {
  readonly name: string;
  readonly inputs: readonly unknown[];
}
const functions = (await import(process.argv[2]!)) as Record<
  string,
  (...inputs: unknown[]) => unknown
>;

process.on('message', ({ name, inputs }: Message) => {
  // What fails ends the process, and with it the bench.
  void Promise.resolve(functions[name]!(...inputs)).then((result) => process.send?.({ result }));
});
process.on('disconnect', () => process.exit());
