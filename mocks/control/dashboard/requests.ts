/** The journal, the newest request first, filtered and a page at a time. */
export const requestsScript = String.raw`import { $, ask, attempt, element, fieldsOf, refreshNow, row, time } from './base.js';

const pageSize = 50;
let before;
let oldest;

export function loadRequests() {
  const filter = $('requests-filter');
  // A status that is typed only in part is not used as a filter yet.
  const { status, ...fields } = fieldsOf(filter);
  const query = { ...fields, ...(status && filter.elements.status.validity.valid && { status }), ...(before && { before }), limit: pageSize };
  return ask('requests?' + new URLSearchParams(query));
}

export function showRequests(requests) {
  oldest = requests[0]?.number;
  $('requests-count').textContent = requests.length === 0 ? 'none' : 'number ' + requests.at(-1).number + ' to ' + oldest + (before ? '' : ', the newest first');
  $('requests').replaceChildren(...requests.toReversed().map(requestRow));
  $('requests-newer').disabled = before === undefined;
  $('requests-older').disabled = requests.length < pageSize;
}

function requestRow(request) {
  const { at, method, environment, key, status, faults, answeredAt } = request;
  const target = method + ' ' + addressOf(request) + (environment && environment !== 'production' ? ' (' + environment + ')' : '');
  const answer = status ?? (answeredAt === undefined ? 'under way' : 'no response');
  return row([time(at), target, key, element('span', String(answer), tone(status)), markOf(faults)]);
}

const addressOf = ({ path, query }) => (Object.keys(query).length === 0 ? path : path + '?' + new URLSearchParams(query));

const tone = (status) => (status === undefined || status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'ok');

const markOf = (faults) => (faults.length === 0 ? '' : element('span', faults.join(', '), 'mark'));

/** The keys in the filter, which change while the page is open. */
export function offerKeys(keys) {
  const select = $('requests-filter').elements.key;
  for (const { key } of keys)
    if (![...select.options].some(({ value }) => value === key)) select.append(new Option(key));
}

function turnTo(next) {
  before = next;
  void attempt(refreshNow, '');
}

$('requests-newer').addEventListener('click', () => turnTo(undefined));
$('requests-older').addEventListener('click', () => turnTo(oldest));
$('requests-filter').addEventListener('input', () => turnTo(undefined));
$('requests-filter').addEventListener('submit', (event) => event.preventDefault());
`;
