// @ts-nocheck
// The recipe for Nest, with the Logger of Nest in it.
import 'reflect-metadata';
import assert from 'node:assert/strict';
import { Logger } from '@nestjs/common';

const printed = [];
const keep = (level) => (message, context) => void printed.push({ level, message, context });
const levels = ['debug', 'log', 'warn', 'error', 'fatal', 'verbose'];
Logger.overrideLogger(Object.fromEntries(levels.map((level) => [level, keep(level)])));

await import('./recipe.ts');
assert.equal(printed.length, 1);
assert.equal(printed[0].level, 'log');
assert.equal(printed[0].context, 'PetStoreClient');
assert.match(printed[0].message, /^petstore-client: listPets .*because of 503$/);
