/** The panel of each key: its remaining quota, and the buttons that exhaust and ban it. */
export const keysScript = String.raw`import { $, ask, attempt, button, element, grouped, time } from './base.js';

/** Panels are updated in place, so that a button does not lose the focus. */
const panels = new Map();

export function showKeys(keys) {
  for (const [name, panel] of panels) {
    if (keys.some(({ key }) => key === name)) continue;
    panel.root.remove();
    panels.delete(name);
  }
  for (const key of keys) {
    if (!panels.has(key.key)) panels.set(key.key, createPanel(key.key));
    fill(panels.get(key.key), key);
  }
}

function createPanel(name) {
  const root = element('div', undefined, 'key');
  const plan = element('span');
  const minute = createGauge();
  const day = createGauge();
  const ban = element('span', '', 'ban');
  const actions = element('div', undefined, 'actions');
  const change = (body, done) => () => attempt(() => ask('keys/' + encodeURIComponent(name), 'PUT', body), done);
  const banButton = button('Ban', 'Ban ' + name, () =>
    attempt(() => ask('keys/' + encodeURIComponent(name), 'PUT', banned(name) ? { unban: true } : { ban: true }), banned(name) ? 'The ban was ended.' : name + ' was banned.'));
  actions.append(
    button('Exhaust minute', 'Exhaust the minute of ' + name, change({ exhaust: 'minute' }, 'The minute of ' + name + ' is exhausted.')),
    button('Exhaust day', 'Exhaust the day of ' + name, change({ exhaust: 'day' }, 'The day of ' + name + ' is exhausted.')),
    banButton,
  );
  root.append(element('strong', name), plan, minute.meter, minute.text, day.meter, day.text, ban, actions);
  $('keys').append(root);
  return { root, plan, minute, day, ban, banButton };
}

function createGauge() {
  return { meter: element('meter'), text: element('span', '', 'left') };
}

const banned = (name) => panels.get(name).ban.textContent !== '';

function fill({ plan, minute, day, ban, banButton }, key) {
  plan.textContent = key.plan + (key.limits === 'off' ? ', limits off' : '');
  fillGauge(minute, 'minute', key.usage.minute);
  fillGauge(day, 'day', key.usage.day);
  ban.textContent = key.bannedUntil === null ? '' : 'banned until ' + time(key.bannedUntil);
  banButton.textContent = key.bannedUntil === null ? 'Ban' : 'Unban';
  banButton.setAttribute('aria-label', banButton.textContent + ' ' + key.key);
}

function fillGauge({ meter, text }, name, { limit, remaining, used, resetAt }) {
  Object.assign(meter, { min: 0, max: limit, low: limit * 0.2, high: limit * 0.5, optimum: limit, value: remaining });
  meter.setAttribute('aria-label', name + ': ' + remaining + ' of ' + limit + ' left');
  text.textContent = grouped(remaining) + ' of ' + grouped(limit) + ' left this ' + name + (used === 0 ? '' : ', resets at ' + time(resetAt).slice(0, 8));
}
`;
