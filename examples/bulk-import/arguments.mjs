import { parseArgs } from 'node:util';

const usage = `Usage: node import.mjs FILE.csv [options]

  --mock               adds the pets to a mock on the Free plan, in virtual time, so that it does not wait
  --across-days        waits when the quota of the day is exhausted, instead of ending
  --now                sends, although the quota was exhausted when an earlier run ended: after a change of the plan
  --new                starts, although the file seems to be imported already
  --find               looks by id for the pets of rows whose outcome is unknown, and records those that it finds
  --created LINE[=ID]  the row on this line, whose outcome is unknown, was added; repeat for more
  --unsent LINE        the row on this line, whose outcome is unknown, was not added: sends it; repeat for more`;

/** Reads the command line. --help prints the usage, and ends the program. @throws an Error with the usage. */
export function readArguments(args = process.argv.slice(2)) {
  const { values, positionals } = parse(args);
  if (values.help) {
    console.log(usage);
    process.exit();
  }
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
        help: { type: 'boolean', short: 'h' },
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
