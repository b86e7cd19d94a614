// A POST whose connection is closed after it was read: sent once. Deno by itself sends it twice on a connection that was used before.
import { once } from 'node:events';
import { createServer } from 'node:net';

export async function sentOnce({ PetStoreClient, ConnectionError }) {
  const requests = [];
  const server = createServer((socket) => {
    let heard = '';
    // Otherwise the process stays as long as the client keeps the last connection for another request.
    socket
      .unref()
      .on('error', () => undefined)
      .on('data', (data) => {
        heard += data;
        const length = Number(/^content-length: *(\d+)/im.exec(heard)?.[1] ?? 0);
        const head = heard.indexOf('\r\n\r\n') + 4;
        if (head < 4 || heard.length < head + length) return;
        requests.push(heard.slice(0, heard.indexOf(' ')));
        const isGet = heard.startsWith('GET');
        heard = '';
        if (isGet) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]');
        else socket.end();
      });
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
  server.close();
}
