/** The script of the page at `/_mock/`: asks for the state once a second, and sends what the forms say. */
export const script = String.raw`const $ = (id) => document.getElementById(id);
const time = (ms) => new Date(ms).toISOString().slice(11, 23);

/** Ids beyond 2^53 - 1 stay as they were written. */
const exact = (_key, value, context) => (typeof value === 'number' && !Number.isSafeInteger(value) && context ? context.source : value);

function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function row(cells, statusAt) {
  const made = element('tr');
  cells.forEach((cell, at) => made.append(element('td', String(cell ?? ''), at === statusAt ? tone(cell) : '')));
  return made;
}

const target = ({ path, query }) => (Object.keys(query).length === 0 ? path : path + '?' + new URLSearchParams(query));

const tone = (status) => (Number(status) < 300 ? 'ok' : status === 429 || Number(status) < 500 ? 'warn' : 'bad');

const grouped = (number) => number.toLocaleString('en');
const left = ({ remaining, limit }) => (remaining === limit ? grouped(limit) : grouped(remaining) + ' of ' + grouped(limit));

function gauge(name, window) {
  const label = element('label');
  const meter = element('meter');
  Object.assign(meter, { min: 0, max: window.limit, low: window.limit * 0.2, high: window.limit * 0.5, optimum: window.limit, value: window.remaining });
  meter.setAttribute('aria-label', name + ': ' + window.remaining + ' of ' + window.limit + ' left');
  label.append(meter, element('span', left(window) + ' a ' + name + (window.used === 0 ? ', unused' : ', anew at ' + time(window.resetAt).slice(0, 8))));
  return label;
}

function keyPanel(key) {
  const panel = element('div', undefined, 'key');
  panel.append(element('strong', key.key), element('span', key.plan));
  panel.append(gauge('minute', key.usage.minute), gauge('day', key.usage.day));
  if (key.bannedUntil !== null) panel.append(element('span', 'banned until ' + time(key.bannedUntil), 'ban'));
  return panel;
}

function say(text, bad) {
  $('status').textContent = text;
  $('status').className = bad ? 'bad' : '';
}

async function ask(path, method = 'GET', body) {
  const init = body === undefined ? { method } : { method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(path, init);
  const text = await response.text();
  const value = text === '' ? undefined : JSON.parse(text, exact);
  if (!response.ok) throw new Error(value?.message ?? 'status ' + response.status);
  return value;
}

let shown = '';
async function refresh() {
  const [state, requests] = await Promise.all([ask('state'), ask('requests?limit=50')]);
  $('now').textContent = state.now.replace('T', ' ').replace('Z', ' UTC');
  $('clock-kind').textContent = state.clock + ' clock';
  // Only what changed is drawn anew, so that reading and focus are not disturbed.
  const { now, ...rest } = state;
  const next = JSON.stringify([rest, requests]);
  if (next === shown) return;
  shown = next;
  $('keys').replaceChildren(...state.keys.map(keyPanel));
  $('pets-count').textContent = state.pets.size > state.pets.first.length ? 'first ' + state.pets.first.length + ' of ' + state.pets.size : state.pets.size;
  $('pets').replaceChildren(...state.pets.first.map((pet) => row([pet.id, pet.name, pet.categoryId, pet.status])));
  $('faults').textContent = state.faults.length === 0 ? 'No faults.' : 'Faults: ' + state.faults.map(({ fault, hits }) => JSON.stringify(fault) + ' hit ' + hits).join('; ');
  $('requests-count').textContent = requests.length === 0 ? 'none yet' : 'newest first';
  $('requests').replaceChildren(...requests.reverse().map((r) => row([time(r.at), r.method + ' ' + target(r), r.key, r.status ?? (r.faults.join(', ') || 'under way')], 3)));
}

async function attempt(work, done) {
  try {
    await work();
    await refresh();
    say(done);
  } catch (error) {
    say(error.message, true);
  }
}

function onSubmit(id, body, path, done) {
  $(id).addEventListener('submit', (event) => {
    event.preventDefault();
    const fields = Object.fromEntries(new FormData(event.target));
    void attempt(() => ask(path, 'POST', body(fields)), done);
  });
}

function faultOf({ kind, operation, times }) {
  const [name, value] = kind.split(':');
  return { [name]: value === undefined ? true : Number(value), times: Number(times), ...(operation && { operation }) };
}

onSubmit('clock', ({ advance }) => ({ advance }), 'clock', 'The clock was moved.');
onSubmit('fault', faultOf, 'faults', 'The fault was added.');
onSubmit('pet', ({ name, categoryId, status }) => ({ name, categoryId: Number(categoryId), status }), 'pets', 'The pet was added.');
$('clear-faults').addEventListener('click', () => void attempt(() => ask('faults', 'DELETE'), 'The faults are gone.'));
$('reset').addEventListener('click', () => void attempt(() => ask('reset', 'POST'), 'Everything is as at the start.'));

for (;;) {
  if (!document.hidden) await refresh().catch(() => say('The service does not answer.', true));
  await new Promise((resolve) => setTimeout(resolve, 1000));
}
`;
