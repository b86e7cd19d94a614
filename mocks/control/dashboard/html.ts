/** The page at `/_mock/`. Its script fills the regions; everything works from the keyboard. */
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
  <p id="status" role="status" aria-live="polite"></p>
</header>
<main>
  <section aria-labelledby="keys-title">
    <h2 id="keys-title">Keys</h2>
    <div id="keys"></div>
  </section>
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
          <option value="hang">no answer</option>
          <option value="slow-body">slow body</option>
          <option value="malformed-json">malformed JSON</option>
          <option value="empty-body">empty body</option>
          <option value="html">HTML page</option>
          <option value="no-rate-limit-headers">no rate-limit headers</option>
        </select>
      </label>
      <label>on
        <select name="operation">
          <option value="">every operation</option>
          <option>listPets</option>
          <option>createPet</option>
          <option>getPet</option>
        </select>
      </label>
      <label>times <input name="times" type="number" min="1" value="1" size="4" required></label>
      <button>Add</button>
    </form>
    <p id="faults"></p>
    <button type="button" id="clear-faults">Clear faults</button>
    <button type="button" id="reset">Reset everything</button>
  </section>
  <section aria-labelledby="requests-title" class="wide">
    <h2 id="requests-title">Requests <span id="requests-count"></span></h2>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="requests-title">
      <table><thead><tr><th>time</th><th>request</th><th>key</th><th>status</th></tr></thead><tbody id="requests"></tbody></table>
    </div>
  </section>
  <section aria-labelledby="pets-title" class="wide">
    <h2 id="pets-title">Pets <span id="pets-count"></span></h2>
    <form id="pet">
      <label>Name <input name="name" required></label>
      <label>Category <input name="categoryId" inputmode="numeric" pattern="-?\\d{1,15}" value="1" size="6" required></label>
      <label>Status
        <select name="status"><option>available</option><option>pending</option><option>sold</option></select>
      </label>
      <button>Add</button>
    </form>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="pets-title">
      <table><thead><tr><th>id</th><th>name</th><th>category</th><th>status</th></tr></thead><tbody id="pets"></tbody></table>
    </div>
  </section>
</main>
<script type="module" src="app.js"></script>
</body>
</html>
`;
