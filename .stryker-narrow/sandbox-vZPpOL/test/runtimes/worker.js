// @ts-nocheck
// The suite inside workerd.
import * as petstore from 'petstore-client';
import { createMockService } from 'petstore-client/mocks';
import { suite } from './suite.js';

export default {
  async fetch(request) {
    try {
      await suite({
        petstore,
        createMockService,
        url: new URL(request.url).searchParams.get('service'),
      });
      return new Response(`OK ${navigator.userAgent}`);
    } catch (error) {
      return new Response(error.stack, { status: 500 });
    }
  },
};
