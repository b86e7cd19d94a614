// The panels of the keys, the requests and the pets.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import {
  clockTime,
  Form,
  grouped,
  operations,
  Pages,
  pageSize,
  petFields,
  Section,
  statuses,
  Table,
  Traffic,
} from './parts.js';

export function Keys({ state, send }) {
  return html`<${Section} id="keys" title="Keys">
    ${state.keys.map((key) => html`<${Key} key=${key.key} of=${key} send=${send} />`)}
  <//>`;
}

function Key({ of: { key, plan, limits, usage, bannedUntil }, send }) {
  const isBanned = bannedUntil !== null;
  const put = (done, body) => () => send(done, 'keys/' + encodeURIComponent(key), 'PUT', body);
  const gauge = ([name, { limit, remaining, used, resetAt }]) => {
    const left = `${grouped(remaining)} of ${grouped(limit)} left this ${name}`;
    const reset = used > 0 && ', resets at ' + clockTime(resetAt).slice(0, 8);
    return html`<meter
        max=${limit}
        low=${limit * 0.2}
        high=${limit * 0.5}
        optimum=${limit}
        value=${remaining}
        aria-label="${name}: ${remaining} of ${limit} left"
      />
      <span class="soft">${left}${reset}</span>`;
  };
  const exhaust = (name) =>
    html`<button
      aria-label="Exhaust the ${name} of ${key}"
      onClick=${put(`The ${name} of ${key} is exhausted.`, { exhaust: name })}
    >
      Exhaust ${name}
    </button>`;
  return html`<div class="key">
    <strong>${key}</strong><span>${plan}${limits === 'off' && ', limits off'}</span>
    ${Object.entries(usage).map(gauge)}
    ${isBanned && html`<span class="bad">banned until ${clockTime(bannedUntil)}</span>`}
    <div class="actions">
      ${['minute', 'day'].map(exhaust)}
      <button
        aria-label="${isBanned ? 'Unban' : 'Ban'} ${key}"
        onClick=${isBanned ? put('The ban was ended.', { unban: true }) : put(key + ' was banned.', { ban: true })}
      >
        ${isBanned ? 'Unban' : 'Ban'}
      </button>
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

export function Requests({ requests, state, watched, traffic, view, show }) {
  const range =
    requests.length === 0 ? 'none' : `number ${requests.at(-1).number} to ${requests[0].number}`;
  const keys = state.keys.map(({ key }) => key);
  const fields = [
    { label: 'Operation', name: 'operation', any: 'any', options: operations },
    answered,
    { label: 'Sent with', name: 'key', any: 'any key', options: keys },
  ];
  const filter = (given) => show({ before: undefined, requests: given });
  return html`<${Section} id="requests" title="Requests" count=${range}>
    ${watched && html`<${Traffic} of=${watched} counts=${traffic.counts} />`}
    <${Form} fields=${fields} use=${filter}>
      <${Pages}
        id="requests"
        newer=${['Newest', view.before !== undefined && (() => show({ before: undefined }))]}
        older=${['Older', requests.length === pageSize && (() => show({ before: requests[0].number }))]}
      />
    <//>
    <${Table}
      id="requests"
      heads=${['time', 'status', 'request', 'key']}
      rows=${requests.toReversed().map(requestRow)}
    />
  <//>`;
}

function requestRow({
  at,
  method,
  path,
  query,
  environment,
  key,
  status,
  faults: hit,
  answeredAt,
}) {
  const search = new URLSearchParams(query).toString();
  const tone = status === undefined || status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'ok';
  const answer = status ?? (answeredAt === undefined ? 'under way' : 'no response');
  const mark = hit.length > 0 && html`<span class="mark">${hit.join(', ')}</span>`;
  return [
    clockTime(at),
    html`<span class=${tone}>${answer}</span>${mark}`,
    `${method} ${path}${search && '?' + search}${environment === 'staging' ? ' (staging)' : ''}`,
    key,
  ];
}

const finding = [
  { label: 'Find', name: 'search', type: 'search', placeholder: 'id or name' },
  { label: 'with status', name: 'status', any: 'any', options: statuses },
];

export function Pets({ pets: { size, pets }, view: { offset }, show, send }) {
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
  const filter = (given) => show({ offset: 0, pets: given });
  return html`<${Section} id="pets" title="Pets" count=${size === 0 ? 'none' : range}>
    <${Form} fields=${petFields} button="Add pet" use=${add} />
    <${Form} key=${added} fields=${finding} use=${filter}>
      <${Pages}
        id="pets"
        newer=${['Newer', offset > 0 && (() => show({ offset: offset - pageSize }))]}
        older=${['Older', last < size && (() => show({ offset: offset + pageSize }))]}
      />
    <//>
    <${Table}
      id="pets"
      heads=${['id', ...petFields.map(({ name }) => name)]}
      rows=${pets.map(cells)}
    />
  <//>`;
}
