import { parseArgs } from 'node:util';

const usage =
  'Usage: node import.mjs FILE.csv [--across-days] [--now] [--new] [--mock] [--find] [--created LINE[=ID]]... [--unsent LINE]...';

/** Reads the command line. @throws an Error with the usage. */
export function readArguments(args = process.argv.slice(2)) {
  const { values, positionals } = parse(args);
  if (positionals.length !== 1) throw new Error(usage);
  const { mock, now, find, created = [], unsent = [] } = values;
  if (find && created.length + unsent.length > 0)
    throw new Error(`--find goes without --created and --unsent\n${usage}`);
  const decisions = new Map();
  for (const [line, decision] of [
    ...created.map((text) => readDecision(text, /^(\d+)(?:=(-?\d+))?$/)),
    ...unsent.map((text) => readDecision(text, /^(\d+)$/, 'unsent')),
  ]) {
    // The last one would count, and the row could be sent again.
    if (decisions.has(line)) throw new Error(`line ${line} has two decisions\n${usage}`);
    decisions.set(line, decision);
  }
  return {
    ...{ path: positionals[0], mock, now, find },
    ...{ acrossDays: values['across-days'], isNew: values.new },
    decisions: {
      /** The decision on the row of a line, if there is one. */
      take(line) {
        const decision = decisions.get(line);
        decisions.delete(line);
        return decision;
      },
      /** The lines whose decision was not needed. */
      left: () => [...decisions.keys()],
    },
  };
}

function parse(args) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        mock: { type: 'boolean' },
        now: { type: 'boolean' },
        new: { type: 'boolean' },
        'across-days': { type: 'boolean' },
        find: { type: 'boolean' },
        created: { type: 'string', multiple: true },
        unsent: { type: 'string', multiple: true },
      },
    });
  } catch (error) {
    throw new Error(`${error.message}\n${usage}`, { cause: error });
  }
}

function readDecision(text, pattern, state = 'created') {
  const [, line, id] = pattern.exec(text) ?? [];
  if (line === undefined) throw new Error(`--${state} ${text}: not the number of a line\n${usage}`);
  return [Number(line), id === undefined ? state : { created: BigInt(id) }];
}
