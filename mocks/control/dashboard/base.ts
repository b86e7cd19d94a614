/** Functions that the other scripts of the page share: elements, requests to the control API, messages. */
export const baseScript = String.raw`export const $ = (id) => document.getElementById(id);
export const time = (ms) => new Date(ms).toISOString().slice(11, 23);
export const grouped = (number) => number.toLocaleString('en');

/** Ids beyond 2^53 - 1 stay as they were written. */
const exact = (_key, value, context) => (typeof value === 'number' && !Number.isSafeInteger(value) && context ? context.source : value);

export function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

export function row(cells) {
  const made = element('tr');
  for (const cell of cells) {
    const place = element('td');
    place.append(cell instanceof Node ? cell : String(cell ?? ''));
    made.append(place);
  }
  return made;
}

export function button(text, label, onClick) {
  const made = element('button', text);
  made.type = 'button';
  made.setAttribute('aria-label', label);
  made.addEventListener('click', onClick);
  return made;
}

/** The fields of a form that are filled in. */
export const fieldsOf = (form) => Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ''));

export function say(text, bad) {
  $('status').textContent = text;
  $('status').className = bad ? 'bad' : '';
}

export async function ask(path, method = 'GET', body) {
  const headers = {};
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if ($('world').value !== '') headers['X-Mock-World'] = $('world').value;
  const response = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  const text = await response.text();
  const value = text === '' ? undefined : JSON.parse(text, exact);
  if (!response.ok) throw new Error(value?.message ?? 'status ' + response.status);
  return value;
}

let refresh = async () => {};
export const onRefresh = (next) => (refresh = next);
export const refreshNow = () => refresh();

/** Makes a change and shows the result, or shows the error. */
export async function attempt(change, done) {
  try {
    await change();
    await refresh();
    say(done);
  } catch (error) {
    say(error.message, true);
  }
}
`;
