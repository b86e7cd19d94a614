/** The table of pets, a page at a time, and the form that adds one. */
export const petsScript = String.raw`import { $, ask, attempt, element, fieldsOf, grouped, refreshNow, row } from './base.js';

const pageSize = 50;
const fields = [...document.querySelectorAll('th[data-field]')].map((heading) => heading.dataset.field);
let offset = 0;
let size = 0;
let added;

export function loadPets() {
  return ask('pets?' + new URLSearchParams({ ...fieldsOf($('pets-filter')), limit: pageSize, offset }));
}

export function showPets(page) {
  size = page.size;
  const last = Math.min(offset + pageSize, size);
  $('pets-count').textContent = size === 0 ? 'none' : grouped(offset + 1) + ' to ' + grouped(last) + ' of ' + grouped(size) + ', the highest id first';
  $('pets').replaceChildren(...page.pets.map(petRow));
  $('pets-newer').disabled = offset === 0;
  $('pets-older').disabled = last >= size;
}

function petRow(pet) {
  const made = row(fields.map((field) => pet[field]));
  if (added !== undefined && String(pet.id) === String(added.id)) {
    made.className = 'added';
    made.firstChild.append(element('span', 'added', 'mark'));
  }
  return made;
}

function turnTo(next) {
  offset = Math.max(0, next);
  void attempt(refreshNow, '');
}

$('pets-newer').addEventListener('click', () => turnTo(offset - pageSize));
$('pets-older').addEventListener('click', () => turnTo(Math.min(offset + pageSize, Math.max(0, size - 1))));
$('pets-filter').addEventListener('input', () => turnTo(0));
$('pets-filter').addEventListener('submit', (event) => event.preventDefault());

$('pet').addEventListener('submit', (event) => {
  event.preventDefault();
  const pet = fieldsOf(event.target);
  for (const input of event.target.querySelectorAll('[data-type=integer]'))
    if (input.name in pet) pet[input.name] = Number(pet[input.name]);
  void attempt(() => addPet(pet), 'The pet was added.');
});

/** Goes to the page that contains the added pet. */
async function addPet(pet) {
  added = await ask('pets', 'POST', pet);
  offset = 0;
  $('pets-filter').reset();
  const { pets } = await loadPets();
  if (!pets.some(({ id }) => String(id) === String(added.id))) $('pets-filter').elements.search.value = added.id;
}
`;
