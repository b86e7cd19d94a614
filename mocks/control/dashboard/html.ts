import type * as z from 'zod/mini';
import { NewPetSchema, operations, PetSchema, PetStatus } from '../../../src/contract/index.js';
import { Int64Schema } from '../../../src/contract/int64.js';

const option = (value: string) => `<option>${value}</option>`;
const operationOptions = Object.keys(operations).map(option).join('');
const statusOptions = Object.values(PetStatus).map(option).join('');

/** A heading for each field of a pet. */
const petHeadings = Object.keys(PetSchema.shape)
  .map((field) => `<th data-field="${field}">${field}</th>`)
  .join('');

/** An input for each field of a new pet, by what its schema takes. */
const petInputs = Object.entries(NewPetSchema.shape)
  .map(([field, schema]) => petInput(field, schema as z.ZodMiniType))
  .join('\n      ');

function petInput(field: string, schema: z.ZodMiniType): string {
  const required = schema.safeParse(undefined).success ? '' : ' required';
  if (schema.safeParse(PetStatus.available).success && !schema.safeParse('?').success)
    return `<label>${field} <select name="${field}">${statusOptions}</select></label>`;
  if ((schema as unknown) === Int64Schema || schema.safeParse(1).success)
    return `<label>${field} <input name="${field}" data-type="integer" inputmode="numeric" pattern="-?\\d{1,15}" value="1" size="6"${required}></label>`;
  return `<label>${field} <input name="${field}" size="12"${required}></label>`;
}

/** The page at `/_mock/`. Its scripts fill the regions; everything works from the keyboard. */
export const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>petstore-mock</title>
<link rel="stylesheet" href="style.css">
<link rel="icon" href="data:,">
</head>
<body>
<header>
  <h1>petstore-mock</h1>
  <p><time id="now"></time> <span id="clock-kind"></span></p>
  <label id="world-label" hidden>World <select id="world"><option value="">the first</option></select></label>
  <p id="status" role="status" aria-live="polite"></p>
</header>
<main>
  <section aria-labelledby="control-title">
    <h2 id="control-title">Control</h2>
    <form id="clock">
      <label>Move the clock by <input name="advance" value="61s" size="6" required pattern="\\d+(ms|s|m|h|d)" title="61s, 5m, 2h, 1d"></label>
      <button>Move</button>
    </form>
    <form id="fault">
      <label>Fault
        <select name="kind">
          <option value="status:500">status 500</option>
          <option value="status:503">status 503</option>
          <option value="delay:2000">delay of 2 s</option>
          <option value="network-error">network error</option>
          <option value="drop-body">body cut off</option>
          <option value="hang">no response</option>
          <option value="slow-body">slow body</option>
          <option value="malformed-json">malformed JSON</option>
          <option value="empty-body">empty body</option>
          <option value="html">HTML page</option>
          <option value="no-rate-limit-headers">no rate-limit headers</option>
        </select>
      </label>
      <label>on <select name="operation"><option value="">every operation</option>${operationOptions}</select></label>
      <label>times <input name="times" type="number" min="1" value="1" size="4" required></label>
      <button>Add</button>
    </form>
    <div id="faults"></div>
    <button type="button" id="clear-faults">Clear faults</button>
    <button type="button" id="reset">Reset everything</button>
  </section>
  <section aria-labelledby="keys-title">
    <h2 id="keys-title">Keys</h2>
    <div id="keys"></div>
  </section>
  <section aria-labelledby="requests-title">
    <h2 id="requests-title">Requests <span id="requests-count"></span></h2>
    <form id="requests-filter">
      <label>Operation <select name="operation"><option value="">any</option>${operationOptions}</select></label>
      <label>Answered <input name="status" inputmode="numeric" pattern="[1-5]\\d\\d" size="4" placeholder="any" title="a status, such as 429"></label>
      <label>Sent with <select name="key"><option value="">any key</option></select></label>
      <button type="button" id="requests-newer">Newest</button>
      <button type="button" id="requests-older">Older</button>
    </form>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="requests-title">
      <table><thead><tr><th>time</th><th>request</th><th>key</th><th>status</th><th>fault</th></tr></thead><tbody id="requests"></tbody></table>
    </div>
  </section>
  <section aria-labelledby="pets-title">
    <h2 id="pets-title">Pets <span id="pets-count"></span></h2>
    <form id="pet">
      ${petInputs}
      <button>Add pet</button>
    </form>
    <form id="pets-filter">
      <label>Find <input name="search" type="search" size="12" placeholder="id or name"></label>
      <label>with status <select name="status"><option value="">any</option>${statusOptions}</select></label>
      <button type="button" id="pets-newer">Newer</button>
      <button type="button" id="pets-older">Older</button>
    </form>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="pets-title">
      <table><thead><tr>${petHeadings}</tr></thead><tbody id="pets"></tbody></table>
    </div>
  </section>
</main>
<script type="module" src="app.js"></script>
</body>
</html>
`;
