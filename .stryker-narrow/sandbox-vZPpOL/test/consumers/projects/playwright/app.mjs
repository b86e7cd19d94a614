// @ts-nocheck
// A page that calls the service itself.
import { createServer } from 'node:http';

const html = `<!doctype html><title>Pets</title><main></main><script type="module">
  const main = document.querySelector('main');
  const answer = await fetch('${process.env['MOCK']}/v1/pets?limit=100', {
    headers: { Authorization: 'Bearer mock-free' },
  });
  if (!answer.ok) main.innerHTML = '<p role="alert">The pets could not be loaded.</p>';
  else for (const { name } of await answer.json()) {
    const item = document.createElement('li');
    item.textContent = name;
    main.append(item);
  }
</script>`;

createServer((_request, response) => {
  response.writeHead(200, { 'Content-Type': 'text/html' }).end(html);
}).listen(Number(process.env['PORT']), '127.0.0.1');
