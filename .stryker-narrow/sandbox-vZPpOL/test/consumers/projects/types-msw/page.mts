// @ts-nocheck
import { setupMockWorker } from 'petstore-client/mocks/browser';

export const worker = setupMockWorker({ seed: 3 });
void worker.start();
export const pets: number = worker.service.pets.size;
