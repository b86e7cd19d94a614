// The panels of the keys, the requests and the pets.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import {
  Choice,
  clockTime,
  fieldsOf,
  grouped,
  onSubmit,
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

export function Requests({ requests, state, watched, traffic, view, show }) {
  const range =
    requests.length === 0 ? 'none' : `number ${requests.at(-1).number} to ${requests[0].number}`;
  const filter = (event) => show({ before: undefined, requests: fieldsOf(event.currentTarget) });
  return html`<${Section} id="requests" title="Requests" count=${range}>
    ${watched && html`<${Traffic} of=${watched} counts=${traffic.counts} />`}
    <form onInput=${filter} onSubmit=${onSubmit(() => {})}>
      <${Choice} label="Operation" name="operation" any="any" options=${operations} />
      <label>
        Answered
        <input
          name="status"
          inputmode="numeric"
          pattern="[1-5]\\d\\d"
          size="4"
          placeholder="any"
          title="a status, such as 429"
        />
      </label>
      <${Choice}
        label="Sent with"
        name="key"
        any="any key"
        options=${state.keys.map(({ key }) => key)}
      />
      <${Pages}
        id="requests"
        newer=${['Newest', view.before !== undefined && (() => show({ before: undefined }))]}
        older=${['Older', requests.length === pageSize && (() => show({ before: requests[0].number }))]}
      />
    </form>
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

export function Pets({ pets: { size, pets }, view: { offset }, show, send }) {
  const [added, setAdded] = useState();
  const last = Math.min(offset + pageSize, size);
  const range = `${grouped(offset + 1)} to ${grouped(last)} of ${grouped(size)}, the highest id first`;
  const add = async (fields) => {
    const integers = petFields.filter(({ name, isInteger }) => isInteger && name in fields);
    for (const { name } of integers) fields[name] = Number(fields[name]);
    const pet = await send('The pet was added.', 'pets', 'POST', fields);
    if (pet === undefined) return;
    setAdded(pet.id);
    show({ offset: 0, pets: {} });
  };
  const field = ({ name, choices, isInteger, required }) => {
    if (choices) return html`<${Choice} label=${name} name=${name} options=${choices} />`;
    const integer = isInteger && {
      inputmode: 'numeric',
      pattern: '-?\\d{1,15}',
      defaultValue: '1',
    };
    return html`<label
      >${name} <input name=${name} size="12" required=${required} ...${integer}
    /></label>`;
  };
  const cells = (pet) => {
    const mark = pet.id === added && html`<span class="mark">added</span>`;
    return [html`${pet.id}${mark}`, ...petFields.map(({ name }) => pet[name])];
  };
  const filter = (event) => show({ offset: 0, pets: fieldsOf(event.currentTarget) });
  return html`<${Section} id="pets" title="Pets" count=${size === 0 ? 'none' : range}>
    <form onSubmit=${onSubmit(add)}>
      ${petFields.map(field)}
      <button>Add pet</button>
    </form>
    <form key=${added} onInput=${filter} onSubmit=${onSubmit(() => {})}>
      <label>Find <input name="search" type="search" size="12" placeholder="id or name" /></label>
      <${Choice} label="with status" name="status" any="any" options=${statuses} />
      <${Pages}
        id="pets"
        newer=${['Newer', offset > 0 && (() => show({ offset: offset - pageSize }))]}
        older=${['Older', last < size && (() => show({ offset: offset + pageSize }))]}
      />
    </form>
    <${Table}
      id="pets"
      heads=${['id', ...petFields.map(({ name }) => name)]}
      rows=${pets.map(cells)}
    />
  <//>`;
}
