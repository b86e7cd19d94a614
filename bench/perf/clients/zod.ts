import * as z from 'zod';
import type { Calls, Target } from './client.js';
import { raw } from './fetch.js';

const pet = z.object({
  id: z.int(),
  name: z.string(),
  categoryId: z.int(),
  status: z.enum(['available', 'pending', 'sold']).optional(),
});
const list = z.array(pet);

/** The floor with Zod, as one would write it. */
export function rawWithZod(target: Target): Calls {
  const read = (value: unknown) => (Array.isArray(value) ? list.parse(value) : pet.parse(value));
  return raw(target, read);
}
