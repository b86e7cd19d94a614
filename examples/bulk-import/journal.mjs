import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';

/**
 * What became of each row, one JSON line an event, on the disk before anything else happens. A row goes
 *
 *     sending -> created | rejected     the end
 *     sending -> unsent                 surely not processed: the next run sends it
 *     sending                           and no more: in doubt, the next run leaves it alone
 *
 * @param subject what is imported to where: a journal of something else is refused.
 */
export function openJournal(path, subject) {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const [head, ...events] = text.split('\n').flatMap(parsed);
  if (head && head.subject !== subject)
    throw new Error(`${path} belongs to another file or address. Move it away to begin anew.`);

  const rows = new Map(events.map((event) => [event.row, event]));
  const file = openSync(path, 'a');
  const write = (event) => {
    writeSync(file, `${JSON.stringify(event)}\n`);
    // What is to be sent must be on the disk before it is; an outcome that is lost with the power only leaves a doubt.
    if (event.state === 'sending') fsyncSync(file);
  };
  if (text !== '' && !text.endsWith('\n')) writeSync(file, '\n');
  if (!head) write({ subject });

  return {
    stateOf: (row) => rows.get(row)?.state,
    eventsIn: (state) =>
      [...rows.values()].filter((event) => event.state === state).sort((a, b) => a.row - b.row),
    record(row, state, details) {
      rows.set(row, { row, state, ...details });
      write({ row, state, ...details });
    },
    close: () => closeSync(file),
  };
}

/** A kill can cut a line short. What it was to tell is not known then, and the row stays as it was told before. */
function parsed(line) {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
