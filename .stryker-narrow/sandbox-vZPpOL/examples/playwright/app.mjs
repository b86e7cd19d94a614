// @ts-nocheck
// The app under test: a page with the pets and a form to add one. The server renders the page and calls the service.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import {
  BadRequestError,
  PetStoreError,
  RateLimitError,
  RequestValidationError,
} from 'petstore-client';

export function createApp(client) {
  return createServer(async (request, response) => {
    if (request.url !== '/') return response.writeHead(404).end();
    let notice = '';
    try {
      if (request.method === 'POST') {
        const form = new URLSearchParams(await text(request));
        const { name } = await client.createPet({
          name: form.get('name'),
          categoryId: Number(form.get('category')),
        });
        notice = `${name} is in the store.`;
      }
      const pets = await client.listPets({ limit: 100 });
      send(response, 200, notice, pets);
    } catch (error) {
      if (!(error instanceof PetStoreError)) throw error;
      send(response, error instanceof RateLimitError ? 503 : 502, sentenceFor(error), []);
    }
  });
}

function sentenceFor(error) {
  if (error instanceof RateLimitError)
    return `Busy. Please come back in ${Math.ceil((error.retryAfter ?? 1_000) / 1_000)} seconds.`;
  if (error instanceof RequestValidationError || error instanceof BadRequestError)
    return 'Please check the form.';
  return 'The store is not available.';
}

function send(response, status, notice, pets) {
  response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8' }).end(`<!doctype html>
    <html lang="en"><title>Pets</title>
    <h1>Pets</h1>
    <p role="status">${escape(notice)}</p>
    <ul>${pets.map(({ name, status }) => `<li>${escape(name)} (${escape(status ?? 'unknown')})</li>`).join('')}</ul>
    <form method="post">
      <label>Name <input name="name" required></label>
      <label>Category <input name="category" type="number" required></label>
      <button>Add</button>
    </form></html>`);
}

const escape = (value) => value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
