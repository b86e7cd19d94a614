/** The mock with the measured values answers the recorded requests again, and every response that differs is listed. */
import { headers as names } from '../../../src/contract/index.js';
import type { Assumptions, GivenAssumptions, WindowKind } from '../../assumptions/assumptions.js';
import { chooseAssumptions } from '../../assumptions/assumptions.js';
import { readRate } from '../ask/rate.js';
import { jsonOf } from '../../utils/json.js';
import { type Ask, describeAsk, type Exchange, hasKey } from '../ask/request.js';
import { answered, codeOf, isPet, isSeedPet, type Known, knownFields } from '../case.js';
import type { SeedPet } from '../../pets/pet.js';
import type { Difference } from '../types.js';
import type { Fit } from '../windows/fit.js';
import { clockOffsetOf } from '../windows/clock.js';
import { resetSlack as windowSlack, samplesOf, type Sample } from '../windows/samples.js';
import { differencesFrom, type Hypothesis } from '../windows/hypotheses.js';
import { createReplay, exactTimes, type Replay, type Replayed } from '../windows/replay.js';
import { hashOf } from '../../inspect/journal.js';

/** The comparison of a run with the mock. */
export interface Comparison {
  readonly differences: readonly Difference[];
  readonly compared: number;
}

/** How far a Reset may be off, ms. */
const resetSlack = 2_000;

/** Plays the answered requests of a run to a mock under the measured assumptions. */
export async function compareWithMock(
  known: Known,
  measured: GivenAssumptions,
  fit: Fit,
): Promise<Comparison> {
  const first = await compareAt(known, measured, fit, 0);
  const isExact =
    clockOffsetOf(known) !== undefined || (measured.minuteWindow ?? 'fixed') !== 'fixed';
  if (first.differences.length === 0 || isExact) return first;
  // Without a `Date` the minute of a fixed window may end a little earlier or later.
  const second = await compareAt(known, measured, fit, windowSlack);
  return second.differences.length < first.differences.length ? second : first;
}

/** `shift`: how much earlier or later than it seems each request may have come, ms. */
async function compareAt(
  known: Known,
  measured: GivenAssumptions,
  fit: Fit,
  shift: number,
): Promise<Comparison> {
  const samples = samplesOf(known)
    .filter(({ exchange }) => exchange.answer)
    .map((one) => ({ ...one, early: one.early - shift, late: one.late + shift }));
  const [first] = samples;
  if (!first) return { differences: [], compared: 0 };
  const assumptions = chooseAssumptions(measured);
  const { nodes, minuteWindow } = assumptions;
  const setup = {
    assumptions: { ...measured, ...exactTimes },
    // Without a limit that makes sense, none is reached.
    limit: fit.limit !== undefined && fit.limit >= 2 ? fit.limit : 1_000_000_000,
    pets: seenPets(known, samples),
  };
  const early = createReplay({ ...setup, start: first.early });
  const late = createReplay({ ...setup, start: first.late });
  const look: Look = {
    rates: explains(fit.left, assumptions),
    refusals:
      measured.unauthorizedQuota !== undefined && explains(fit.withRefusals ?? [], assumptions),
    slack: [
      Math.min(0, nodes.remaining[0]) - (minuteWindow === 'token-bucket' ? 1 : 0),
      Math.max(0, nodes.remaining[1]) + (minuteWindow === 'token-bucket' ? 1 : 0),
    ],
    shuffled: measured.listOrder === 'shuffled',
    dates: measured.dateHeader !== undefined,
    isClockKnown: clockOffsetOf(known) !== undefined,
  };
  const differences: Difference[] = [];
  let compared = 0;
  for (const sample of samples) {
    const { exchange } = sample;
    const soon = await playAs(early, exchange, sample.early);
    const later = await playAs(late, exchange, sample.late);
    // Which request is refused for the quota is not known where no way of counting explains the headers.
    const isRefused = [exchange.answer!.status, soon.status, later.status].includes(429);
    if (isRefused && (!look.rates || isAtEdge(minuteWindow, soon, later))) continue;
    compared++;
    const difference = differenceOf(exchange, soon, later, look);
    if (difference) differences.push({ request: describeAsk(exchange.ask), ...difference });
  }
  return { differences, compared };
}

/** Whether it takes no more than the tolerated difference of one request for a bucket to refuse a request, or not to. */
function isAtEdge(minuteWindow: WindowKind, early: Replayed, late: Replayed): boolean {
  return minuteWindow === 'token-bucket' && Math.min(early.remaining, late.remaining) <= 1;
}

/** Whether the mock counts in one of these ways. A meaning of Reset that has no effect is any. */
function explains(left: readonly Hypothesis[], assumptions: Assumptions): boolean {
  return left.some((one) => differencesFrom(assumptions, one).length === 0);
}

/** What is compared, and how closely. */
interface Look {
  /** Whether Remaining and Reset are: where the mock's way of counting is one that explains them. */
  readonly rates: boolean;
  /** Whether those of a 401 are. */
  readonly refusals: boolean;
  readonly slack: readonly [number, number];
  readonly shuffled: boolean;
  readonly dates: boolean;
  /** Without a `Date`, times may be as far off as the clock of the service. */
  readonly isClockKnown: boolean;
}

/** Plays a request. Afterwards the mock has the pet that the service has created, or none, so that later answers can be compared. */
async function playAs(replay: Replay, { ask, answer }: Exchange, at: number): Promise<Replayed> {
  const played = await replay.play(ask, at);
  if (ask.method !== 'POST') return played;
  const { pets } = replay.service;
  const own: unknown = played.status === 201 ? jsonOf(played.text) : undefined;
  if (isPet(own)) pets.remove(own.id);
  const created = answer?.status === 201 && isSeedPet(answer.json) ? answer.json : undefined;
  if (created && !pets.get(created.id)) pets.add(knownFields(created));
  return played;
}

/** What differs in the answers to one request. */
type Apart = Pick<Difference, 'service' | 'mock'>;

function apart(service: unknown, mock: unknown): Apart {
  return { service: String(service).slice(0, 100), mock: String(mock).slice(0, 100) };
}

function differenceOf(
  { ask, answer, receivedAt }: Exchange,
  early: Replayed,
  late: Replayed,
  look: Look,
): Apart | undefined {
  const { status, headers, json } = answer!;
  const mock = [early, late].find((one) => one.status === status);
  if (!mock) return apart(status, early.status);
  const [seen, said] = [shapeOf(json, ask, look), shapeOf(jsonOf(mock.text), ask, look)];
  if (seen !== said) return apart(`${status} ${seen}`, `${status} ${said}`);
  if (look.dates && 'date' in headers !== early.headers.has('date'))
    return apart(
      'date' in headers ? 'a Date' : 'no Date',
      early.headers.has('date') ? 'a Date' : 'no Date',
    );
  const rate = readRate(answer!, receivedAt);
  if (!rate || !(hasKey(ask) ? look.rates : look.refusals)) return undefined;
  if (rate.limit !== early.limit) return apart(`limit ${rate.limit}`, `limit ${early.limit}`);
  const [least, most] = look.slack;
  const between = [early.remaining, late.remaining];
  if (
    rate.remaining < Math.max(0, Math.min(...between) + least) ||
    rate.remaining > Math.max(...between) + most
  )
    return apart(`${rate.remaining} remaining`, `${early.remaining} remaining`);
  const isTold = !Number.isNaN(rate.resetAt);
  if (
    isTold &&
    Math.abs(rate.resetAt - nearestTo(rate.resetAt, early.resetAt, late.resetAt)) > resetSlack
  )
    return apart(
      `Reset ${new Date(rate.resetAt).toISOString()}`,
      `Reset ${new Date(early.resetAt).toISOString()}`,
    );
  const slack = look.isClockKnown ? resetSlack : 86_400_000;
  return retryAfterDifference(headers[names.retryAfter.toLowerCase()], early, late, slack);
}

function nearestTo(value: number, one: number, other: number): number {
  return Math.min(Math.max(value, Math.min(one, other)), Math.max(one, other));
}

function retryAfterDifference(
  seen: string | undefined,
  early: Replayed,
  late: Replayed,
  dateSlack: number,
): Apart | undefined {
  const said = [early, late].map(({ headers }) => headers.get(names.retryAfter) ?? undefined);
  if (said.includes(seen)) return undefined;
  const numbers = [seen, ...said].map((text) => Number(text ?? NaN));
  const [seconds, ...mock] = numbers as [number, number, number];
  if (mock.some((one) => Math.abs(one - seconds) <= Math.max(1, seconds * 0.02))) return undefined;
  // A plain number would be read as a year.
  const dates = [seen, ...said].map((text) =>
    Number.isNaN(Number(text)) ? Date.parse(text ?? '') : NaN,
  );
  if (dates.slice(1).some((date) => Math.abs(date - dates[0]!) <= dateSlack)) return undefined;
  return apart(`Retry-After ${seen ?? 'missing'}`, `Retry-After ${said[0] ?? 'missing'}`);
}

/** What is compared of a body: pets by their fields, errors by their code. Names are compared by a hash, and not shown. */
function shapeOf(json: unknown, ask: Ask, look: Look): string {
  if (Array.isArray(json)) {
    const pets = json.map((pet) => petShape(pet, false));
    return `${pets.length} pets: ${(look.shuffled ? pets.toSorted() : pets).join(' ')}`;
  }
  if (isPet(json)) return petShape(json, ask.creates === true);
  const code = codeOf(json);
  return typeof code === 'string' ? `code ${code}` : json === undefined ? 'no JSON' : 'JSON';
}

function petShape(pet: unknown, withoutId: boolean): string {
  if (!isPet(pet)) return 'no pet';
  const { id, name, categoryId, status } = pet;
  return `${withoutId ? '' : String(id)}/${hashOf(name).toString(36)}/${categoryId}/${status ?? '-'}`;
}

/** Every pet that a response has shown, once, without those that are created in the replay, and those that the mock cannot hold. */
function seenPets(known: Known, samples: readonly Sample[]): SeedPet[] {
  const created = new Set(
    samples.flatMap(({ exchange: { ask, answer } }) =>
      ask.method === 'POST'
        ? [String((answer?.json as { id?: unknown } | null | undefined)?.id)]
        : [],
    ),
  );
  const pets = new Map<string, SeedPet>();
  for (const { answer } of answered(known))
    for (const pet of Array.isArray(answer.json) ? answer.json : [answer.json])
      if (answer.status < 300 && isSeedPet(pet) && !created.has(String(pet.id)))
        pets.set(String(pet.id), knownFields(pet));
  return [...pets.values()];
}
