// The parts that the panels of the page are made of, and what they know of the contract.
import { html } from 'htm/preact';

/** What the page knows of the contract: from the description of the control API. */
const { paths } = await (await fetch('openapi.json')).json();
const schemaOf = ({ content }) => content['application/json'].schema;
const pet = schemaOf(paths['/_mock/pets/{id}'].get.responses[200]);
const fault = schemaOf(paths['/_mock/faults'].post.requestBody).properties;
export const operations = fault.operation.enum;
export const statuses = pet.properties.status.enum;
/** The faults that can be switched on without more. */
export const faults = Object.keys(fault).filter((name) =>
  [fault[name].type, fault[name].enum].flat().some((one) => one === 'boolean' || one === true),
);
/** The fields of the form of a pet, by what the description says of each; the service assigns the id. */
export const petFields = Object.entries(pet.properties)
  .filter(([name]) => name !== 'id')
  .map(([name, { type, enum: options }]) => ({
    label: name,
    name,
    required: pet.required.includes(name),
    ...(options && { options }),
    ...(type === 'integer' && { inputmode: 'numeric', pattern: '-?\\d{1,15}', defaultValue: '1' }),
  }));
export const pageSize = 50;
export const clockTime = (ms) => new Date(ms).toISOString().slice(11, 23);
export const grouped = (number) => number.toLocaleString('en');

/** The fields that have a value. */
export const filled = (fields) =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
  );
/** The fields of a form that are filled in. What is typed only in part, such as a status, is left out. */
const fieldsOf = (form) =>
  filled(
    Object.fromEntries(
      [...new FormData(form)].filter(([name]) => form.elements[name].validity?.valid !== false),
    ),
  );
export const Section = ({ id, title, count, children }) =>
  html`<section aria-labelledby="${id}-title">
    <h2 id="${id}-title">
      ${title} ${count && html`<span id="${id}-count" class="soft">${count}</span>`}
    </h2>
    ${children}
  </section>`;

/** A field: a list to choose from where it has `options` (`any`: the text of the choice that leaves it out), otherwise an input. */
export const Field = ({ label, options, any, ...attributes }) =>
  html`<label>
    ${label} ${!options && html`<input size="12" ...${attributes} />`}
    ${
      options &&
      html`<select ...${attributes}>
        ${any && html`<option value="">${any}</option>`}
        ${options.map((one) => html`<option value=${one}>${one}</option>`)}
      </select>`
    }
  </label>`;

/** A form that is used when it is sent; one without `submit`, the text of its button, at each change. */
export const Form = ({ fields, submit, use, children }) => {
  const onInput = !submit && ((event) => use(fieldsOf(event.currentTarget)));
  const onSubmit = (event) => {
    event.preventDefault();
    if (submit) use(fieldsOf(event.currentTarget));
  };
  return html`<form onInput=${onInput} onSubmit=${onSubmit}>
    ${fields.map((field) => html`<${Field} ...${field} />`)}
    ${submit && html`<button>${submit}</button>`} ${children}
  </form>`;
};

/** A button; what it does is false where it can do nothing. */
export const button = (text, onClick, attributes) =>
  html`<button type="button" disabled=${!onClick} onClick=${onClick} ...${attributes}>
    ${text}
  </button>`;

/**
 * A list with a form that filters it and buttons that turn its pages. `start`: the filter is empty again when it changes;
 * `newer`: the text of its button, and what it does.
 */
export const List = ({ start, fields, use, newer, older, heads, rows, children, ...section }) =>
  html`<${Section} ...${section}>
    ${children}
    <${Form} key=${start} fields=${fields} use=${use}>
      ${button(...newer, { id: `${section.id}-newer` })}
      ${button('Older', older, { id: `${section.id}-older` })}
    <//>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="${section.id}-title">
      <table>
        <thead>
          <tr>
            ${heads.map((head) => html`<th>${head}</th>`)}
          </tr>
        </thead>
        <tbody id=${section.id}>
          ${rows.map(
            (row) =>
              html`<tr>
                ${row.map((cell) => html`<td>${cell}</td>`)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  <//>`;
