/** The main script of the page at `/_mock/`: fetches the state once a second, and submits the forms. */
export const appScript = String.raw`import { $, ask, attempt, button, element, fieldsOf, onRefresh, say } from './base.js';
import { showKeys } from './keys.js';
import { loadPets, showPets } from './pets.js';
import { loadRequests, offerKeys, showRequests } from './requests.js';

/** Redraws only what has changed, so that reading and focus are not disturbed. */
const drawn = new Map();
function draw(name, value, show) {
  const text = JSON.stringify(value);
  if (drawn.get(name) === text) return;
  drawn.set(name, text);
  show(value);
}

async function refresh() {
  const [state, requests, pets, worlds] = await Promise.all([ask('state'), loadRequests(), loadPets(), ask('worlds')]);
  $('now').textContent = state.now.replace('T', ' ').replace('Z', ' UTC');
  $('clock-kind').textContent = state.clock + ' clock';
  draw('keys', state.keys, (keys) => {
    showKeys(keys);
    offerKeys(keys);
  });
  draw('faults', state.faults, showFaults);
  draw('requests', requests, showRequests);
  draw('pets', pets, showPets);
  draw('worlds', worlds.map(({ name }) => name), showWorlds);
}

function showFaults(faults) {
  if (faults.length === 0) return $('faults').replaceChildren(element('p', 'No faults.'));
  $('faults').replaceChildren(...faults.map(({ id, fault, hits }) => {
    const line = element('p', JSON.stringify(fault) + ', hit ' + hits + ' ');
    line.append(button('Remove', 'Remove fault ' + id, () => attempt(() => ask('faults/' + id, 'DELETE'), 'The fault was removed.')));
    return line;
  }));
}

function showWorlds(names) {
  const chosen = $('world').value;
  $('world-label').hidden = names.length < 2;
  $('world').replaceChildren(...names.map((name) => new Option(name === '' ? 'the first' : name, name)));
  $('world').value = names.includes(chosen) ? chosen : '';
}

function onSubmit(id, send, done) {
  $(id).addEventListener('submit', (event) => {
    event.preventDefault();
    void attempt(() => send(fieldsOf(event.target)), done);
  });
}

function faultOf({ kind, operation, times }) {
  const [name, value] = kind.split(':');
  return { [name]: value === undefined ? true : Number(value), times: Number(times), ...(operation && { operation }) };
}

onRefresh(refresh);
onSubmit('clock', ({ advance }) => ask('clock', 'POST', { advance }), 'The clock was moved.');
onSubmit('fault', (fields) => ask('faults', 'POST', faultOf(fields)), 'The fault was added.');
$('clear-faults').addEventListener('click', () => attempt(() => ask('faults', 'DELETE'), 'The faults were removed.'));
$('reset').addEventListener('click', () => attempt(() => ask('reset', 'POST'), 'The initial state was restored.'));
$('world').addEventListener('change', () => attempt(refresh, ''));

let isDown = false;
for (;;) {
  if (!document.hidden) {
    try {
      await refresh();
      if (isDown) say('The service answers again.');
      isDown = false;
    } catch {
      say('The service does not answer.', true);
      isDown = true;
    }
  }
  await new Promise((resolve) => setTimeout(resolve, 1000));
}
`;
