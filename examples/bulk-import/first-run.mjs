import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { createPets } from 'petstore-client/bulk';

/**
 * The path of the journal. The address is part of its name: what staging has, production has not.
 *
 * @throws an Error if the folder has no journal of this file, but one of another file: the file may be a copy, or renamed.
 */
export function journalPath(path, client, isNew) {
  const suffix = `.${new URL(client.baseUrl).host.replaceAll(/[^\w.-]/g, '-')}.journal`;
  const journals = readdirSync(dirname(path)).filter((name) => name.endsWith(suffix));
  const own = basename(path) + suffix;
  if (journals.length > 0 && !journals.includes(own) && !isNew)
    throw new Error(
      `${journals.join(', ')}: the journal of this file, when it had another name? Then rename it to ${own}. If not, add --new. Nothing was sent.`,
    );
  return path + suffix;
}

/**
 * Looks for the pets of the file in the service, before the first run with a journal. `listPets` returns 100 pets at most.
 *
 * @returns the report of a run that sent no row, because the check could not be made, such as in an exhausted quota.
 * @throws an Error if the service has some of the pets: they may have been imported with another journal.
 */
export async function checkNotImported(client, rows, options) {
  // A run that is aborted before it begins checks the rows, reads the journal, and sends nothing.
  const before = await createPets(client, rows, { ...options, signal: AbortSignal.abort() });
  if (before.unsent < before.total) return undefined;
  // The request is made by a run with the same journal, which treats it as a row: it waits for the rate limit, and the journal
  // stores until when nothing may be sent. The row itself is never sent. Each check has a row of its own: the journal may say that
  // the one of an earlier check was rejected, or is there.
  let listed;
  const createPet = (_row, limits) => (listed = client.listPets({ limit: 100 }, limits));
  const { stopped } = await createPets(
    { createPet, clock: client.clock },
    [{ name: `No pet: listPets before the first row, ${new Date().toISOString()}`, categoryId: 0 }],
    {
      ...options,
      onProgress: (progress) => options.onProgress({ ...progress, done: 0, total: before.total }),
    },
  );
  // An abort between two attempts fails the request, and not the run, which has no other row.
  if (options.signal.aborted) return before;
  if (stopped !== undefined) return { ...before, stopped };
  const textOf = ({ name, categoryId }) => `${categoryId} ${name}`;
  const texts = new Set(rows.map(textOf));
  const pet = (await listed).find((each) => texts.has(textOf(each)));
  if (pet === undefined) return undefined;
  throw new Error(
    `the service has pets of this file, such as ${pet.name} (${pet.id}), and the journal is new: imported before? If not, add --new. No pet was added.`,
  );
}
