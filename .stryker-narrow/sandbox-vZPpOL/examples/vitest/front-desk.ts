// @ts-nocheck
// A small app: the front desk of an animal shelter, which uses the client.
import {
  BadRequestError,
  RateLimitError,
  RequestValidationError,
  type PetStoreClient,
} from 'petstore-client';

export interface FrontDesk {
  /** The names on the board in the hall. */
  board(): Promise<string[]>;
  /** Adds an animal. @returns the message for the clerk. */
  takeIn(name: string, categoryId: number): Promise<string>;
}

export function frontDesk(client: PetStoreClient): FrontDesk {
  return {
    async board() {
      const pets = await client.listPets({ status: 'available', limit: 100 });
      return pets.map(({ name }) => name).sort();
    },
    async takeIn(name, categoryId) {
      try {
        const { id } = await client.createPet({ name, categoryId, status: 'available' });
        return `${name} is number ${id}.`;
      } catch (error) {
        if (error instanceof RequestValidationError || error instanceof BadRequestError)
          return 'Please check the form.';
        if (error instanceof RateLimitError)
          return `Too busy. Please try again in ${Math.ceil((error.retryAfter ?? 1_000) / 1_000)} s.`;
        throw error;
      }
    },
  };
}
