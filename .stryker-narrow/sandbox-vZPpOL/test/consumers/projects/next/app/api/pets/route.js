// @ts-nocheck
import { NotFoundError } from 'petstore-client';
import { client } from '../../../store.js';

export const dynamic = 'force-dynamic';

export async function GET() {
  const missing = await client.getPet(99).catch((error) => error);
  return Response.json({
    pets: (await client.listPets()).length,
    missing: missing instanceof NotFoundError,
  });
}
