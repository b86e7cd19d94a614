import { expect, test } from 'vitest';
import { Budget } from '../../src/rate-limit/budget.js';

const minute = 60_000;
const reset = Date.UTC(2026, 0, 1, 0, 1);

interface Answer {
  readonly remaining: number | undefined;
  readonly limit?: number | undefined;
  readonly reset?: number | undefined;
  readonly sentAt?: number;
  readonly receivedAt?: number;
  readonly inFlight?: number;
  readonly resetIn?: number;
}

/** Hands answers to a budget: of the Pro plan, all of one window and one moment, unless they say otherwise. */
function learn(budget: Budget, ...answers: Answer[]): Budget {
  for (const {
    remaining,
    sentAt = 0,
    receivedAt = sentAt,
    inFlight = 0,
    resetIn = minute,
    ...of
  } of answers) {
    const quota = {
      limit: 'limit' in of ? of.limit : 300,
      remaining,
      reset: 'reset' in of ? of.reset : reset,
    };
    budget.learn(quota, sentAt, receivedAt, inFlight, resetIn);
  }
  return budget;
}

/** `own` answers to requests of one's own; meanwhile `others` requests of other processes were counted. */
function shared(own: number, others: number, limit = 300): Budget {
  const last = limit - own - others;
  const answers = Array.from({ length: own }, (_, n) => ({
    limit,
    remaining: n === own - 1 && own > 1 ? last : limit - 1 - n,
  }));
  return learn(new Budget(), ...answers);
}

const afterHold = (budget: Budget) => (budget.forget(), budget);

test.each([
  [7, 4],
  [8, 25],
])(
  'after %i answers in its first window a process that is alone may have %i of 300 in flight',
  (answers, cap) => {
    expect(shared(answers, 0).cap()).toBe(cap);
  },
);

test.each([
  [18, 4],
  [19, 20],
])(
  'after a hold it takes more: with %i answers before it and one behind it, %i',
  (answers, cap) => {
    const budget = afterHold(shared(answers, 0));
    learn(budget, { remaining: 300 - answers - 1 });
    expect(budget.cap()).toBe(cap);
  },
);

test.each([
  ['one stranger among 20', 20, 1, 25],
  ['two among 20 are too many for one window', 20, 2, 4],
  ['two among 21', 21, 2, 25],
  ['three among 31 are too many', 31, 3, 4],
  ['one among 9 is more than a tenth', 9, 1, 4],
  ['one among 10', 10, 1, 25],
])('whether the process is alone: %s', (_name, own, others, cap) => {
  expect(shared(own, others).cap()).toBe(cap);
});

test.each<[string, Budget, number]>([
  ['alone, in the first window, all that is left', shared(8, 0), 292],
  ['alone, later, half of it', learn(afterHold(shared(19, 0)), { remaining: 281 }), 140],
  ['not known to be alone, an eighth', shared(3, 0), Math.floor(297 / 8)],
  ['with others, half of the own share', shared(3, 21), Math.floor(((276 - 5) * 4) / 25 / 2)],
  [
    'room is left to others, but never for more than 8',
    shared(3, 60),
    Math.floor(((237 - 8) * 4) / 64 / 2),
  ],
  [
    'nor for more than a twentieth of the limit',
    shared(3, 21, 60),
    Math.floor(((36 - 3) * 4) / 25 / 2),
  ],
  ['no room for a quarter of a request', shared(3, 1), Math.floor(296 / 8)],
  ['room for one when it is more than a quarter', shared(3, 2), Math.floor((295 - 1) / 8)],
  ['never less than one, while any is left', shared(3, 53, 60), 1],
  ['none, when others may take what is left', shared(3, 54, 60), 0],
])('how many may be in flight by the remaining quota: %s', (_name, budget, window) => {
  expect(budget.maxInFlightForRemaining()).toBe(window);
});

test.each([
  [[4_000], 134],
  [[4_000, 1_000], 124],
  [[20_000], 256],
  [[100], 4],
])(
  'responses that take %j ms let twice as many be in flight as the plan of 1,000 a minute needs, at most 256: %i',
  (times, cap) => {
    const answers = times.map((took, n) => ({
      limit: 1_000,
      remaining: 999 - n,
      receivedAt: took,
    }));
    expect(learn(new Budget(), ...answers).cap()).toBe(cap);
  },
);

test('four may be in flight when Remaining is known and Reset is not', () => {
  const answers = Array.from({ length: 30 }, (_, n) => ({ remaining: 299 - n, reset: undefined }));
  expect(learn(new Budget(), ...answers).cap()).toBe(4);
});

test('four may be in flight from nine tenths of the published daily quota', () => {
  const budget = shared(30, 0);
  for (let n = 0; n < 8_999; n += 1) budget.countDay(reset);
  expect(budget.cap()).toBe(25);
  budget.countDay(reset);
  expect(budget.cap()).toBe(4);
});

test('a limit that belongs to no plan has no daily quota', () => {
  const budget = shared(30, 0, 240);
  for (let n = 0; n < 100_000; n += 1) budget.countDay(reset);
  expect(budget.cap()).toBe(20);
});

test('the share is the requests of this process, plus one, divided by all requests', () => {
  expect(new Budget().share()).toBe(1);
  expect(shared(3, 4).share()).toBe(4 / 8);
  expect(shared(3, 12).share()).toBe(4 / 16);
});

test('a 429 while the window seemed open doubles the estimated share of other processes', () => {
  const budget = shared(3, 0);
  budget.countUnexpected429(false);
  expect(budget.share()).toBe(1);
  budget.countUnexpected429(true);
  expect(budget.share()).toBe(4 / 8);
  budget.countUnexpected429(true);
  expect(budget.share()).toBe(4 / 12);
});

test('past windows count for half after a minute', () => {
  const budget = shared(10, 22);
  learn(budget, { remaining: 299, reset: reset + minute, sentAt: minute });
  expect(budget.share()).toBeCloseTo((5.5 + 1) / (5.5 + 1 + 11), 10);
  learn(budget, { remaining: 298, reset: reset + minute, sentAt: minute });
  expect(budget.share()).toBeCloseTo((6.5 + 1) / (6.5 + 1 + 11), 10);
  learn(budget, { remaining: 299, reset: reset + 3 * minute, sentAt: 3 * minute });
  expect(budget.share()).toBeCloseTo((7.5 / 4 + 1) / (7.5 / 4 + 1 + 11 / 4), 10);
});

test('requests in flight are not counted as those of others, and the count of others is kept within a window', () => {
  const budget = learn(new Budget(), { remaining: 299 }, { remaining: 289, inFlight: 9 });
  expect(budget.share()).toBe(1);
  learn(budget, { remaining: 278, inFlight: 9 });
  expect(budget.share()).toBe(4 / 14);
  learn(budget, { remaining: 288, inFlight: 9 });
  expect(budget.share()).toBe(5 / 15);
});

test('while Remaining is unknown each response allows one more in flight, and after a hold it starts at one again', () => {
  const budget = new Budget();
  const windows = [budget.maxInFlightForRemaining()];
  for (let n = 0; n < 3; n += 1)
    windows.push(learn(budget, { remaining: undefined }).maxInFlightForRemaining());
  expect(windows).toEqual([1, 2, 3, 4]);
  expect(afterHold(budget).maxInFlightForRemaining()).toBe(1);
});

test('a response without a Limit or without Remaining counts as one used request, and nothing falls below 0', () => {
  const budget = shared(3, 0);
  learn(budget, { remaining: undefined });
  learn(budget, { remaining: 100, limit: undefined });
  expect(budget.remaining).toBe(295);
  for (let n = 0; n < 300; n += 1) budget.spendUnseen(0);
  expect(budget.remaining).toBe(0);
});

test.each([
  [1_000, 297],
  [1_001, 299],
])(
  'a Reset that is %i ms later, with more left than known, is another window, or not: %i',
  (later, remaining) => {
    expect(learn(shared(3, 0), { remaining: 299, reset: reset + later }).remaining).toBe(remaining);
  },
);

test.each([
  [1_000, 1, 297],
  [1_001, 1, 299],
  [1_001, 0, 297],
])(
  'a Reset that is %i ms earlier, of a request sent %i ms after the last answer: %i are left',
  (earlier, sentAt, remaining) => {
    expect(learn(shared(3, 0), { remaining: 299, reset: reset - earlier, sentAt }).remaining).toBe(
      remaining,
    );
  },
);

test('a response with another limit belongs to another window', () => {
  const budget = learn(shared(3, 0), { remaining: 990, limit: 1_000 });
  expect([budget.remaining, budget.limit]).toEqual([990, 1_000]);
});

test('within a window Remaining never rises, and the first Remaining counts as it is', () => {
  const budget = learn(shared(3, 0), { remaining: 298 });
  expect(budget.remaining).toBe(297);
  learn(afterHold(budget), { remaining: 200 });
  expect(budget.remaining).toBe(200);
});

test.each([
  [65_000, 1_000],
  [65_001, 300],
])(
  'a window that ends in %i ms tells a limit of a minute, or of more: %i is what a minute has',
  (resetIn, limit) => {
    expect(learn(shared(3, 0), { remaining: 900, limit: 1_000, resetIn }).limit).toBe(limit);
  },
);

test('without a minute window the limit of a longer one is used', () => {
  expect(
    learn(new Budget(), { remaining: 900, limit: 1_000, resetIn: 24 * 60 * minute }).limit,
  ).toBe(1_000);
});

test('a plan given beforehand allows its whole limit at once, until a response shows that others use a part of it', () => {
  const budget = new Budget();
  budget.expect(300);
  expect([budget.maxInFlightForRemaining(), budget.cap()]).toEqual([300, 4]);
  learn(budget, { remaining: 299 });
  expect([budget.maxInFlightForRemaining(), budget.cap()]).toEqual([299, 256]);
  learn(budget, { remaining: 280 });
  expect([budget.maxInFlightForRemaining(), budget.cap()]).toEqual([
    Math.floor(((280 - 6) * 3) / 21 / 2),
    4,
  ]);
});

test('a plan given beforehand is ignored after the first hold', () => {
  const budget = new Budget();
  budget.expect(300);
  learn(afterHold(budget), { remaining: 299 });
  expect([budget.maxInFlightForRemaining(), budget.cap()]).toEqual([Math.floor(299 / 8), 4]);
});

test('a plan does not replace what responses have reported', () => {
  const budget = shared(3, 0);
  budget.expect(1_000);
  expect([budget.limit, budget.remaining]).toEqual([300, 297]);
});

test('a 429 updates its own window only, and one of a past window updates nothing', () => {
  const budget = shared(3, 0);
  budget.learnWindow({ limit: 300, remaining: 0, reset: reset + minute }, 1, 2, minute);
  expect([budget.windowReset, budget.remaining]).toEqual([reset + minute, 297]);
  budget.learnWindow({ limit: 300, remaining: 0, reset }, 2, 3, 0);
  expect(budget.windowReset).toBe(reset + minute);
  budget.learnWindow({ limit: undefined, remaining: 0, reset: reset + 2 * minute }, 4, 5, minute);
  expect(budget.windowReset).toBe(reset + minute);
});
