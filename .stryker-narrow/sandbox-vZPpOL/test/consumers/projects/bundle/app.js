// @ts-nocheck
// An app of `.` alone: nothing of the mock may come along.
import { NotFoundError, PetStoreClient } from 'petstore-client';

const calls = [];
const fetch = async (input) => {
  const { url } = new Request(input);
  calls.push(url);
  if (url.endsWith('/pets/2')) {
    return Response.json(
      { code: 'not_found', message: 'No such pet.', status: 404 },
      { status: 404 },
    );
  }
  return Response.json([{ id: 1, name: 'Rex', categoryId: 7, status: 'available' }]);
};
const client = new PetStoreClient({ apiKey: 'some-key', fetch, gate: false });
const names = (await client.listPets()).map(({ name }) => name);
const known = (await client.getPet(2).catch((error) => error)) instanceof NotFoundError;
globalThis.outcome = JSON.stringify({ names, known, calls: calls.length });
