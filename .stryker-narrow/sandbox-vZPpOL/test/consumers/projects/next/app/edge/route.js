// @ts-nocheck
import { client } from '../../store.js';

export const runtime = 'edge';

export async function GET() {
  const missing = await client.getPet(99).catch((error) => error);
  return Response.json({ pets: (await client.listPets()).length, missing: missing.name });
}
