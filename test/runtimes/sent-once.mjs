// A POST whose connection is closed after it was read: sent once. Deno by itself sends it twice on a connection that was used before.
import { once } from 'node:events';
import { createServer } from 'node:http';

export async function sentOnce({ PetStoreClient, ConnectionError }) {
  const requests = [];
  const server = createServer((request, response) => {
    requests.push(request.method);
    const end = () => (request.method === 'GET' ? response.end('[]') : request.socket.end());
    request.resume().on('end', end);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const baseUrl = `http://127.0.0.1:${server.address().port}`;
  const client = new PetStoreClient({ apiKey: 'sent-once', baseUrl });
  const post = { method: 'POST', path: '/x' };
  const binary = { headers: { 'Content-Type': 'image/png' } };
  for (const send of [
    () => client.createPet({ name: 'Rex', categoryId: 1 }),
    () => client.request({ ...post, body: new Uint8Array([82]) }, binary),
    () => client.request(post),
  ]) {
    requests.length = 0;
    await client.listPets();
    const error = await send().catch((failure) => failure);
    if (!(error instanceof ConnectionError)) throw error;
    if (requests.join() !== 'GET,POST') throw new Error(`sent: ${requests}`);
  }
  // The client keeps the last connection for another request.
  server.close().closeAllConnections();
}
