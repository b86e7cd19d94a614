/** The mock, set to what was measured, answers the recorded run again: what differs is what it still does otherwise. */
import { headers as names } from '../../../src/contract/index.js';
import { parseJson, stringifyJson } from '../../../src/contract/json.js';
import type { Assumptions, GivenAssumptions } from '../../assumptions/assumptions.js';
import { chooseAssumptions } from '../../assumptions/defaults.js';
import { readRate } from '../ask/rate.js';
import { describeAsk, type Ask, type Exchange } from '../ask/request.js';
import { answered, petsOf, isPet, type Known, type SeenPet } from '../case.js';
import type { Difference } from '../types.js';
import type { Fit } from '../windows/fit.js';
import { samplesOf } from '../windows/samples.js';
import type { Hypothesis } from '../windows/hypotheses.js';
import { createReplay, type Replay, type Replayed } from '../windows/replay.js';

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
  const samples = samplesOf(known).filter(({ exchange }) => exchange.answer);
  const [first] = samples;
  if (!first) return { differences: [], compared: 0 };
  const assumed = chooseAssumptions(measured);
  const { nodes, minuteWindow } = assumed;
  const setup = {
    assumptions: {
      ...measured,
      resetUnit: 'unix-milliseconds' as const,
      clockSkew: 0,
      nodes: { remaining: [0, 0], clock: [0, 0] } as const,
    },
    // Without a limit that makes sense, none is reached.
    limit: fit.limit !== undefined && fit.limit >= 2 ? fit.limit : 1_000_000_000,
    pets: seenPets(known),
  };
  const early = createReplay({ ...setup, start: first.early });
  const late = createReplay({ ...setup, start: first.late });
  const look: Look = {
    rates: explains(fit.left, assumed),
    refusals: measured.unauthorizedQuota !== undefined && explains(fit.withRefusals, assumed),
    slack: [
      Math.min(0, nodes.remaining[0]) - (minuteWindow === 'token-bucket' ? 1 : 0),
      Math.max(0, nodes.remaining[1]) + (minuteWindow === 'token-bucket' ? 1 : 0),
    ],
    shuffled: measured.listOrder === 'shuffled',
    dates: measured.dateHeader !== undefined,
  };
  const ids = [new Map<string, string>(), new Map<string, string>()] as const;
  const differences: Difference[] = [];
  for (const sample of samples) {
    const { exchange } = sample;
    const soon = await playAs(early, exchange, sample.early, ids[0]);
    const later = await playAs(late, exchange, sample.late, ids[1]);
    const difference = differenceOf(exchange, soon, later, look);
    if (difference) differences.push({ request: describeAsk(exchange.ask), ...difference });
  }
  return { differences, compared: samples.length };
}

/** Whether the mock counts in one of these ways. A meaning of Reset that has no effect is any. */
function explains(left: readonly Hypothesis[], assumed: Assumptions): boolean {
  return left.some(
    (one) =>
      one.minuteWindow === assumed.minuteWindow &&
      one.resetMeaning === assumed.resetMeaning &&
      one.countingScope === assumed.countingScope &&
      one.unauthorizedCount === assumed.unauthorizedCount &&
      one.refusedCount === assumed.refusedCount,
  );
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
}

/** Plays a request, under the id that the mock has given to a pet where the service gave another one. */
async function playAs(
  replay: Replay,
  { ask, answer }: Exchange,
  at: number,
  ids: Map<string, string>,
): Promise<Replayed> {
  const [, id] = /^\/pets\/([^?]+)$/.exec(ask.path) ?? [];
  const given = id === undefined ? undefined : ids.get(id);
  const played = await replay.play(given === undefined ? ask : withPath(ask, `/pets/${given}`), at);
  if (ask.creates === true && answer?.status === 201 && played.status === 201)
    ids.set(idOf(answer.json), idOf(parseJson(played.text)));
  return played;
}

function withPath(ask: Ask, path: string): Ask {
  return { ...ask, path };
}

function idOf(json: unknown): string {
  return String((json as { id?: unknown } | null | undefined)?.id);
}

function differenceOf(
  { ask, answer, receivedAt }: Exchange,
  early: Replayed,
  late: Replayed,
  look: Look,
): { service: string; mock: string } | undefined {
  const { status, headers, json } = answer!;
  const apart = (service: unknown, mock: unknown) => ({
    service: String(service).slice(0, 100),
    mock: String(mock).slice(0, 100),
  });
  if (status !== early.status) return apart(status, early.status);
  const [seen, said] = [shapeOf(json, ask, look), shapeOf(jsonOf(early.text), ask, look)];
  if (seen !== said) return apart(`${status} ${seen}`, `${early.status} ${said}`);
  if (look.dates && 'date' in headers !== early.headers.has('date'))
    return apart(
      'date' in headers ? 'a Date' : 'no Date',
      early.headers.has('date') ? 'a Date' : 'no Date',
    );
  const rate = readRate(answer!, receivedAt);
  const isKeyed = ask.key === 'own' || ask.key === 'second';
  if (!rate || !(isKeyed ? look.rates : look.refusals)) return undefined;
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
  return retryAfterDifference(headers[names.retryAfter.toLowerCase()], early, late, apart);
}

function nearestTo(value: number, one: number, other: number): number {
  return Math.min(Math.max(value, Math.min(one, other)), Math.max(one, other));
}

function retryAfterDifference(
  seen: string | undefined,
  early: Replayed,
  late: Replayed,
  apart: (service: unknown, mock: unknown) => { service: string; mock: string },
): { service: string; mock: string } | undefined {
  const said = [early, late].map(({ headers }) => headers.get(names.retryAfter) ?? undefined);
  if (said.includes(seen)) return undefined;
  const numbers = [seen, ...said].map((text) => Number(text ?? NaN));
  const [told, ...mock] = numbers as [number, number, number];
  if (mock.some((one) => Math.abs(one - told) <= Math.max(1, told * 0.02))) return undefined;
  const dates = [seen, ...said].map((text) => Date.parse(text ?? ''));
  if (dates.slice(1).some((date) => Math.abs(date - dates[0]!) <= resetSlack)) return undefined;
  return apart(`Retry-After ${seen ?? 'missing'}`, `Retry-After ${said[0] ?? 'missing'}`);
}

/** What is compared of a body: pets by their fields, errors by their code. Names are compared, and never told. */
function shapeOf(json: unknown, ask: Ask, look: Look): string {
  if (Array.isArray(json)) {
    const pets = json.map((pet) => petShape(pet, false));
    return `${pets.length} pets: ${(look.shuffled ? pets.toSorted() : pets).join(' ')}`;
  }
  if (isPet(json)) return petShape(json, ask.creates === true || ask.method === 'GET');
  const { code } = (json ?? {}) as { code?: unknown };
  return typeof code === 'string' ? `code ${code}` : json === undefined ? 'no JSON' : 'JSON';
}

function petShape(pet: unknown, withoutId: boolean): string {
  if (!isPet(pet)) return 'no pet';
  const { id, name, categoryId, status } = pet;
  return `${withoutId ? '' : String(id)}/${mark(name)}/${categoryId}/${status ?? '-'}`;
}

/** By this two names are told to be the same without being told. */
function mark(name: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Every pet that a list has shown, once; what the mock would not take is left out. */
function seenPets(known: Known): SeenPet[] {
  const pets = new Map<string, SeenPet>();
  const created = new Set(
    answered(known).flatMap(({ ask, answer }) =>
      ask.method === 'POST' ? [idOf(answer.json)] : [],
    ),
  );
  for (const { answer } of answered(known))
    for (const { id, name, categoryId, status } of petsOf(answer) ?? [])
      if (
        !created.has(String(id)) &&
        (status === undefined || /^(?:available|pending|sold)$/.test(status))
      )
        pets.set(stringifyJson(id), {
          id,
          name,
          categoryId,
          ...(status !== undefined && { status }),
        });
  return [...pets.values()];
}
