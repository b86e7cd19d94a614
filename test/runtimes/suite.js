// What every runtime must do. No file, no import: the modules are handed in, so that it also runs bundled, required, in a
// worker and in a page.
export async function suite({ petstore, createMockService, url }) {
  const service = createMockService({ clock: 'virtual', seed: 3 });
  await waits(petstore, service);
  await stops(petstore, service);
  await calls(petstore, { fetch: service.fetch, clock: service.clock });
  await calls(petstore, { baseUrl: url });
}

async function calls(petstore, options) {
  const client = new petstore.PetStoreClient({ ...options, apiKey: 'mock-pro' });
  const rex = await client.createPet({ name: 'Rex', categoryId: 7, status: 'available' });
  same([typeof rex.id, rex.name, rex.categoryId, rex.status], ['number', 'Rex', 7, 'available']);
  same(await client.getPet(rex.id), rex);
  const listed = await client.listPets({ limit: 100, status: 'available' });
  same(listed.filter(({ id }) => id === rex.id).length, 1);
  const { response, rateLimit } = await client.listPets({ limit: 1 }).withResponse();
  same([response.status, rateLimit.limit], [200, 300]);

  // 2^53 + 1 and 2^63 - 1: no JavaScript number can hold them.
  const exact = new petstore.PetStoreClient({ ...options, apiKey: 'mock-pro', int64: 'bigint' });
  for (const categoryId of [9007199254740993n, 9223372036854775807n]) {
    if (JSON.rawJSON === undefined) {
      // This engine cannot write such an integer: nothing is sent, and nothing is rounded.
      const unwritten = await failure(exact.createPet({ name: 'Ada', categoryId }));
      same(unwritten instanceof petstore.RequestValidationError, true);
      continue;
    }
    const pet = await exact.createPet({ name: 'Ada', categoryId });
    same([typeof pet.id, pet.categoryId], ['bigint', categoryId]);
    same((await exact.getPet(pet.id)).categoryId, categoryId);
  }

  const nobody = { ...options, apiKey: 'nobody' };
  const stranger = new petstore.PetStoreClient({ ...nobody, dangerouslyAllowBrowser: true });
  // A key that is a string is refused in a page, and nowhere else.
  const literal = async () => new petstore.PetStoreClient(nobody);
  const refusal = await literal().catch((error) => error);
  same(refusal instanceof petstore.ConfigurationError, 'document' in globalThis);
  const unauthorized = await failure(stranger.listPets());
  same([unauthorized instanceof petstore.AuthenticationError, unauthorized.status], [true, 401]);
  const missing = await failure(client.getPet(999_999_999));
  same([missing instanceof petstore.NotFoundError, missing.status], [true, 404]);
  const bad = await failure(
    client.request({ method: 'POST', path: '/pets', body: { name: 'no category' } }),
  );
  same([bad instanceof petstore.BadRequestError, bad.status], [true, 400]);
  same(bad.name, 'BadRequestError');
  const refused = await failure(client.listPets({ limit: 101 }));
  same(refused instanceof petstore.RequestValidationError, true);
}

/** A limit reached and lived through: with a cool-down told by the service, in virtual time. */
async function waits(petstore, service) {
  const { fetch, clock } = service;
  const client = new petstore.PetStoreClient({ fetch, clock, apiKey: 'mock-free' });
  const started = clock.monotonic();
  service.keys.get('mock-free').exhaust('minute');
  const { attempts } = await client.listPets().withResponse();
  same(attempts.map(({ status }) => status).join(), '429,200');
  const waited = clock.monotonic() - started;
  if (waited < 59_000 || waited > 62_000) throw new Error(`waited ${waited} ms of virtual time`);
  service.report('mock-free').assertPolite();
}

/** A signal and a timeout end a call that would never end by itself. */
async function stops(petstore, service) {
  const { fetch } = service;
  const options = { fetch, apiKey: 'mock-business', maxRetries: 0 };
  const client = new petstore.PetStoreClient(options);
  service.faults.add({ hang: true, times: 2 });
  const controller = new AbortController();
  const call = client.listPets({}, { signal: controller.signal });
  setTimeout(() => controller.abort(new Error('changed my mind')), 10);
  same((await failure(call)).message, 'changed my mind');
  const late = await failure(client.listPets({}, { timeout: 20 }));
  same(late instanceof petstore.TimeoutError, true);
  same((await client.listPets()).length > 0, true);
}

async function failure(call) {
  const failed = await call.then(() => undefined).catch((error) => error);
  if (failed === undefined) throw new Error('the call should have failed');
  return failed;
}

function same(actual, expected) {
  const [got, wanted] = [actual, expected].map(text);
  if (got !== wanted) throw new Error(`expected ${wanted}, got ${got}`);
}

const text = (value) =>
  JSON.stringify(value, (_key, inner) => {
    if (typeof inner === 'bigint') return `${inner}n`;
    return inner && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort())
      : inner;
  });
