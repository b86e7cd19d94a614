// @ts-nocheck
// The entries over msw, type-checked with each of its majors.
import { setupServer } from 'msw/node';
import { createMockService } from 'petstore-client/mocks';
import { createHandlers } from 'petstore-client/mocks/msw';
import { setupMockServer } from 'petstore-client/mocks/node';

export const own = setupServer(
  ...createHandlers(createMockService(), { baseUrl: 'http://localhost:1234' }),
);
export const server = setupMockServer({ seed: 3 });
server.listen();
server.resetHandlers();
export const pets: number = server.service.pets.size;
