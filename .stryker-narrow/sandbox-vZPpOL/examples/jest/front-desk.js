// @ts-nocheck
// A small app: the front desk of an animal shelter, which uses the client.
const { BadRequestError, RequestValidationError } = require('petstore-client');

exports.frontDesk = (client) => ({
  /** The names on the board in the hall. */
  async board() {
    const pets = await client.listPets({ status: 'available', limit: 100 });
    return pets.map(({ name }) => name).sort();
  },

  /** Adds an animal. Returns the message for the clerk. */
  async takeIn(name, categoryId) {
    try {
      const { id } = await client.createPet({ name, categoryId, status: 'available' });
      return `${name} is number ${id}.`;
    } catch (error) {
      if (error instanceof RequestValidationError || error instanceof BadRequestError)
        return 'Please check the form.';
      throw error;
    }
  },
});
