// @ts-nocheck
import { client } from '../store.js';

// Rendered on the server, at build time.
export default async function Page() {
  const pets = await client.listPets();
  return <p>{`pets on the page: ${pets.length}`}</p>;
}
