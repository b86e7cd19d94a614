// @ts-nocheck
import type { NewPet, Pet, PetStatus } from 'petstore-client';
import { find } from './element.js';
import { sentenceFor } from './sentences.js';

/** The dialog that adds a pet. It stays open with its input until the pet was added. */
export function setUpForm(
  create: (pet: NewPet) => Promise<Pet>,
  onCreated: (pet: Pet) => void,
): void {
  const dialog = find<HTMLDialogElement>('#dialog');
  const form = find<HTMLFormElement>('#dialog form');
  const problem = find<HTMLElement>('#dialog .problem');
  const submit = find<HTMLButtonElement>('#dialog [type=submit]');

  find('#add').addEventListener('click', () => dialog.showModal());
  find('#dialog [value=cancel]').addEventListener('click', () => dialog.close());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void save();
  });

  async function save(): Promise<void> {
    const fields = new FormData(form);
    problem.textContent = '';
    submit.disabled = true;
    try {
      const pet = await create({
        name: String(fields.get('name')),
        categoryId: Number(fields.get('category')),
        status: fields.get('status') as PetStatus,
      });
      dialog.close();
      form.reset();
      onCreated(pet);
    } catch (error) {
      problem.textContent = sentenceFor(error);
    } finally {
      submit.disabled = false;
    }
  }
}
