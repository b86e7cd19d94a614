import { factory, primaryKey } from '@mswjs/data';
import { headers, pets } from '../answers.js';
import { init, url } from './by-hand.js';
import type { Mock } from './index.js';

/** The models of `@mswjs/data` behind a function by hand: it filters and pages, and knows no HTTP. */
export async function data(): Promise<Mock> {
  const db = factory({
    pet: { id: primaryKey(Number), name: String, categoryId: Number, status: String },
  });
  for (const pet of pets) db.pet.create({ ...pet } as never);
  const fetch = async (input: string, options: RequestInit) => {
    const { searchParams } = new URL(new Request(input, options).url);
    const found = db.pet.findMany({ take: Number(searchParams.get('limit')) });
    return new Response(JSON.stringify(found), { headers: headers() });
  };
  return { ask: () => fetch(url, init) };
}
