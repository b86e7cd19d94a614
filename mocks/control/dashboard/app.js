// The page at /_mock/: what the service has, as it changes, and the forms that change it. Bundled by scripts/dashboard.mjs.
import { html } from 'htm/preact';
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Keys, Pets, Requests } from './panels.js';
import { faults, Field, filled, Form, operations, pageSize, Section } from './parts.js';
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
  const wanted = filter.key ?? requests.at(-1)?.key;
  const watched = state.keys.find(({ key }) => key === wanted) ?? state.keys[0];
  const traffic = watched && (await ask(world, query('traffic', { key: watched.key })));
  return { state, requests, pets, worlds, watched, traffic };
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
        <${Keys} ...${panel} />
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
    <p id="status" role="status" aria-live="polite" class=${said.isBad ? 'bad' : ''}>
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
      <button aria-label="Remove fault ${id}" onClick=${() => remove(id)}>Remove</button>
    </p>`;
  return html`<${Section} id="control" title="Control">
    <${Form} fields=${[move]} button="Move" use=${advance} />
    <${Form} fields=${fault} button="Add" use=${add} />
    <div id="faults">
      ${state.faults.length === 0 ? html`<p>No faults.</p>` : state.faults.map(line)}
    </div>
    <div class="actions">
      <button onClick=${() => send('The faults were removed.', 'faults', 'DELETE')}>
        Clear faults
      </button>
      <button onClick=${() => send('The initial state was restored.', 'reset', 'POST')}>
        Reset everything
      </button>
    </div>
  <//>`;
}

render(html`<${App} />`, document.body);
