// @ts-nocheck
// The suite inside a page.
import * as petstore from 'petstore-client';
import { createMockService } from 'petstore-client/mocks';
import { suite } from './suite.js';

globalThis.runSuite = (url) => suite({ petstore, createMockService, url });
