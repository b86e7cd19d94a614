// @ts-nocheck
// The suite as ES modules in a runtime with files: against the port that is given, and against one of its own.
import * as petstore from 'petstore-client';
import { operations } from 'petstore-client/contract';
import { createMockService } from 'petstore-client/mocks';
import { serve } from 'petstore-client/mocks/server';
import { sentOnce } from './sent-once.mjs';
import { suite } from './suite.js';

const url = process.argv[2];
await suite({ petstore, createMockService, url });
const own = await serve(createMockService({ seed: 3 }), { port: 0 });
await suite({ petstore, createMockService, url: own.url });
await own.close();
await sentOnce(petstore);
console.log(`${Object.keys(operations).length} operations`);
