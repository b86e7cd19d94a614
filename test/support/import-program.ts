// One run of createPets, in a process or a thread of its own: `buildImport` bundles it.
import { createPets } from '../../src/bulk/index.js';
import { PetStoreClient, PetStoreError } from '../../src/index.js';
import type { ImportJob, ImportResult } from './import-runs.js';

const { url, journal, count, startAt = 0 } = JSON.parse(process.argv[2]!) as ImportJob;

async function run(): Promise<ImportResult> {
  const client = new PetStoreClient({ apiKey: 'quick', baseUrl: url });
  const rows = Array.from({ length: count }, (_, index) => ({
    name: `Pet ${index}`,
    categoryId: 1,
  }));
  while (Date.now() < startAt);
  try {
    return await createPets(client, rows, { journal });
  } catch (error) {
    if (!(error instanceof PetStoreError)) throw error;
    return { error: error.name, message: error.message };
  }
}

void run().then((result) => process.stdout.write(JSON.stringify(result)));
