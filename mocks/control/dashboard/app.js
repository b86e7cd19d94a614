// The page at /_mock/: what the service has, as it changes, and the forms that change it. Bundled by scripts/dashboard.mjs.
import { html } from 'htm/preact';
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import {
  button,
  clockTime,
  faults,
  Field,
  filled,
  Form,
  grouped,
  List,
  operations,
  pageSize,
  petFields,
  Section,
  statuses,
} from './parts.js';
import './style.css';

const move = {
  label: 'Move the clock by',
  name: 'advance',
  defaultValue: '61s',
  size: 6,
  required: true,
  pattern: '\\d+(ms|s|m|h|d)',
  title: '61s, 5m, 2h, 1d',
};
const kinds = ['status: 500', 'status: 503', 'delay: 2000', ...faults];
const fault = [
  { label: 'Fault', name: 'kind', options: kinds },
  { label: 'on', name: 'operation', any: 'every operation', options: operations },
  { label: 'times', name: 'times', type: 'number', min: 1, defaultValue: 1, required: true },
];

/** Ids beyond 2^53 - 1 stay as they were written. */
const exact = (_key, value, context) =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && context ? context.source : value;

/** A request to the control API. */
async function ask(world, path, method = 'GET', body) {
  const headers = filled({ 'Content-Type': body && 'application/json', 'X-Mock-World': world });
  const response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  const text = await response.text();
  const value = text === '' ? undefined : JSON.parse(text, exact);
  if (!response.ok) throw new Error(value?.message ?? 'status ' + response.status);
  return value;
}

const query = (path, fields) => path + '?' + new URLSearchParams(filled(fields));

/** All that the page shows. */
async function load(world, { requests: filter, before, pets: search, offset }) {
  const [state, requests, pets, worlds] = await Promise.all([
    ask(world, 'state'),
    ask(world, query('requests', { ...filter, before, limit: pageSize })),
    ask(world, query('pets', { ...search, offset, limit: pageSize })),
    ask(world, 'worlds'),
  ]);
  return { state, requests, pets, worlds };
}

function App() {
  const [world, setWorld] = useState('');
  const [view, setView] = useState({ offset: 0, requests: {}, pets: {} });
  const [data, setData] = useState();
  const [said, setSaid] = useState({ text: '' });
  const show = (part) => setView((before) => ({ ...before, ...part }));
  const refresh = async () => setData(await load(world, view));
  /** Makes a change and shows the result, or the error. */
  const send = async (done, ...request) => {
    try {
      const made = await ask(world, ...request);
      await refresh();
      setSaid({ text: done });
      return made;
    } catch (error) {
      setSaid({ text: error.message, isBad: true });
    }
  };
  useEffect(() => {
    let timer;
    const tick = async () => {
      try {
        if (!document.hidden) await refresh();
        setSaid((before) => (before.isDown ? { text: 'The service answers again.' } : before));
      } catch {
        setSaid({ text: 'The service does not answer.', isBad: true, isDown: true });
      }
      timer = setTimeout(tick, 1000);
    };
    void tick();
    return () => clearTimeout(timer);
  }, [world, view]);
  if (data === undefined) return html`<p id="status" role="status" class="bad">${said.text}</p>`;
  const panel = { ...data, view, show, send };
  return html`<${Header} ...${data} ...${{ world, setWorld, said }} />
    <main>
      <div>
        <${Control} ...${panel} />
        <${Requests} ...${panel} />
      </div>
      <div>
        <${Section} id="keys" title="Keys">
          ${data.state.keys.map((key) => html`<${Key} key=${key.key} of=${key} send=${send} />`)}
        <//>
        <${Pets} ...${panel} />
      </div>
    </main>`;
}

function Header({ state, worlds, world, setWorld, said }) {
  const names = worlds.map(({ name }) => name).filter(Boolean);
  const choose = (event) => setWorld(event.target.value);
  return html`<header>
    <h1>petstore-mock</h1>
    <p>
      <time>${state.now.replace('T', ' ').replace('Z', ' UTC')}</time>
      <span class="soft"> ${state.clock} clock</span>
    </p>
    ${names.length > 0 && html`<${Field} label="World" any="the first" options=${names} value=${world} onInput=${choose} />`}
    <p id="status" role="status" aria-live="polite" class=${said.isBad ? 'bad' : 'soft'}>
      ${said.text}
    </p>
  </header>`;
}

function Control({ state, send }) {
  const advance = (by) => send('The clock was moved.', 'clock', 'POST', by);
  const add = ({ kind, times, ...more }) => {
    const [name, value] = kind.split(': ');
    const added = { [name]: value === undefined || Number(value), times: Number(times), ...more };
    return send('The fault was added.', 'faults', 'POST', added);
  };
  const remove = (id) => send('The fault was removed.', 'faults/' + id, 'DELETE');
  const line = ({ id, fault, hits }) =>
    html`<p key=${id}>
      <span>${JSON.stringify(fault)}, hit ${hits}</span>
      ${button('Remove', () => remove(id), { 'aria-label': `Remove fault ${id}` })}
    </p>`;
  return html`<${Section} id="control" title="Control">
    <${Form} fields=${[move]} submit="Move" use=${advance} />
    <${Form} fields=${fault} submit="Add" use=${add} />
    <div id="faults">
      ${state.faults.length === 0 ? html`<p>No faults.</p>` : state.faults.map(line)}
    </div>
    <div class="actions">
      ${button('Clear faults', () => send('The faults were removed.', 'faults', 'DELETE'))}
      ${button('Reset everything', () => send('The initial state was restored.', 'reset', 'POST'))}
    </div>
  <//>`;
}

function Key({ of: { key, plan, limits, usage, bannedUntil }, send }) {
  const action = (text, what, done, body) => {
    const put = () => send(done, 'keys/' + encodeURIComponent(key), 'PUT', body);
    return button(text, put, { 'aria-label': `${what} ${key}` });
  };
  const exhaust = (name) =>
    action(`Exhaust ${name}`, `Exhaust the ${name} of`, `The ${name} of ${key} is exhausted.`, {
      exhaust: name,
    });
  const gauge = ([name, { limit, remaining, used, resetAt }]) => {
    const left = `${grouped(remaining)} of ${grouped(limit)} left this ${name}`;
    const reset = used > 0 && ', resets at ' + clockTime(resetAt).slice(0, 8);
    const steps = { max: limit, low: limit * 0.2, high: limit * 0.5, optimum: limit };
    const label = `${name}: ${remaining} of ${limit} left`;
    return html`<meter ...${steps} value=${remaining} aria-label=${label} />
      <span class="soft">${left}${reset}</span>`;
  };
  return html`<div class="key">
    <strong>${key}</strong><span>${plan}${limits === 'off' && ', limits off'}</span>
    ${Object.entries(usage).map(gauge)}
    ${bannedUntil !== null && html`<span class="bad">banned until ${clockTime(bannedUntil)}</span>`}
    <div class="actions">
      ${['minute', 'day'].map(exhaust)}
      ${
        bannedUntil === null
          ? action('Ban', 'Ban', key + ' was banned.', { ban: true })
          : action('Unban', 'Unban', 'The ban was ended.', { unban: true })
      }
    </div>
  </div>`;
}

const answered = {
  label: 'Answered',
  name: 'status',
  inputmode: 'numeric',
  pattern: '[1-5]\\d\\d',
  size: 4,
  placeholder: 'any',
  title: 'a status, such as 429',
};

function Requests({ requests, state, view, show }) {
  const range =
    requests.length === 0 ? 'none' : `number ${requests.at(-1).number} to ${requests[0].number}`;
  const keys = state.keys.map(({ key }) => key);
  const fields = [
    { label: 'Operation', name: 'operation', any: 'any', options: operations },
    answered,
    { label: 'Sent with', name: 'key', any: 'any key', options: keys },
  ];
  const newest = view.before !== undefined && (() => show({ before: undefined }));
  const older = requests.length === pageSize && (() => show({ before: requests[0].number }));
  return html`<${List}
    id="requests"
    title="Requests"
    count=${range}
    fields=${fields}
    use=${(given) => show({ before: undefined, requests: given })}
    newer=${['Newest', newest]}
    older=${older}
    heads=${['time', 'status', 'request', 'key']}
    rows=${requests.toReversed().map(requestRow)}
  />`;
}

function requestRow(request) {
  const { method, path, status, faults } = request;
  const search = new URLSearchParams(request.query).toString();
  const tone = status === undefined || status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'ok';
  const answer = status ?? (request.answeredAt === undefined ? 'under way' : 'no response');
  const mark = faults.length > 0 && html`<span class="mark">${faults.join(', ')}</span>`;
  const where = request.environment === 'staging' ? ' (staging)' : '';
  return [
    clockTime(request.at),
    html`<span class=${tone}>${answer}</span>${mark}`,
    `${method} ${path}${search && '?' + search}${where}`,
    request.key,
  ];
}

const finding = [
  { label: 'Find', name: 'search', type: 'search', placeholder: 'id or name' },
  { label: 'with status', name: 'status', any: 'any', options: statuses },
];

function Pets({ pets: { size, pets }, view: { offset }, show, send }) {
  const [added, setAdded] = useState();
  const last = Math.min(offset + pageSize, size);
  const range = `${grouped(offset + 1)} to ${grouped(last)} of ${grouped(size)}, the highest id first`;
  const add = async (fields) => {
    for (const { name, inputmode } of petFields)
      if (inputmode && name in fields) fields[name] = Number(fields[name]);
    const pet = await send('The pet was added.', 'pets', 'POST', fields);
    if (pet === undefined) return;
    setAdded(pet.id);
    show({ offset: 0, pets: {} });
  };
  const cells = (pet) => {
    const mark = pet.id === added && html`<span class="mark">added</span>`;
    return [html`${pet.id}${mark}`, ...petFields.map(({ name }) => pet[name])];
  };
  return html`<${List}
    id="pets"
    start=${added}
    title="Pets"
    count=${size === 0 ? 'none' : range}
    fields=${finding}
    use=${(given) => show({ offset: 0, pets: given })}
    newer=${['Newer', offset > 0 && (() => show({ offset: offset - pageSize }))]}
    older=${last < size && (() => show({ offset: offset + pageSize }))}
    heads=${['id', ...petFields.map(({ name }) => name)]}
    rows=${pets.map(cells)}
  >
    <${Form} fields=${petFields} submit="Add pet" use=${add} />
  <//>`;
}

render(html`<${App} />`, document.body);
