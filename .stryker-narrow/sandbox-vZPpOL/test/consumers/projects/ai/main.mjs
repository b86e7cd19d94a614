// @ts-nocheck
// What the AI SDK makes of a schema of the contract: JSON Schema for the model, and a validation of what comes back.
import assert from 'node:assert/strict';
import { asSchema } from 'ai';
import { createMockService } from 'petstore-client/mocks';

const service = createMockService();
globalThis.fetch = service.fetch;
const { addPet } = await import('./tool.mjs');

const schema = asSchema(addPet.inputSchema);
const { properties, required } = await schema.jsonSchema;
assert.deepEqual(Object.keys(properties), ['name', 'categoryId', 'status']);
assert.deepEqual(properties.categoryId, { type: 'integer', format: 'int64' });
assert.deepEqual(required, ['name', 'categoryId']);

assert.equal((await schema.validate({ name: 'Rex' })).success, false);
const input = await schema.validate({ name: 'Rex', categoryId: 1 });
const pet = await addPet.execute(input.value, { toolCallId: 'call-1', messages: [] });
assert.deepEqual([pet.name, service.pets.size], ['Rex', 1]);
