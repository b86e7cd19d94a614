// The recipe for Nest, with the Logger of Nest in it, and a client that a module provides.
import 'reflect-metadata';
import assert from 'node:assert/strict';
import { Logger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { PetStoreClient } from 'petstore-client';
import { createMockService } from 'petstore-client/mocks';

const printed = [];
const keep = (level) => (message, context) => void printed.push({ level, message, context });
const levels = ['debug', 'log', 'warn', 'error', 'fatal', 'verbose'];
Logger.overrideLogger(Object.fromEntries(levels.map((level) => [level, keep(level)])));

await import('./recipe.ts');
assert.equal(printed.length, 1);
assert.equal(printed[0].level, 'log');
assert.equal(printed[0].context, 'PetStoreClient');
assert.match(printed[0].message, /^petstore-client: listPets .*because of 503$/);

let made = 0;
const useFactory = () => {
  made += 1;
  return new PetStoreClient({ apiKey: 'mock-pro', fetch: createMockService({ seed: 3 }).fetch });
};
class Pets {
  constructor(client) {
    this.client = client;
  }
}
class App {}
Module({
  providers: [
    { provide: PetStoreClient, useFactory },
    { provide: Pets, useFactory: (client) => new Pets(client), inject: [PetStoreClient] },
  ],
})(App);
const app = await NestFactory.createApplicationContext(App);
assert.equal((await app.get(Pets).client.listPets()).length, 3);
assert.equal(app.get(Pets).client, app.get(PetStoreClient));
assert.equal(made, 1);
await app.close();
