import type { Run } from '../run/run.js';

const width = 880;
const panel = { left: 60, right: 20, height: 190, gap: 66, top: 64 };
const plot = width - panel.left - panel.right;

/** A picture of several runs of one scenario under one another: calls served and 429s as they add up, and the holds. */
export function chart(title: string, runs: readonly (Run & { readonly client: string })[]): string {
  const end = Math.max(...runs.map(lastMoment));
  const most = Math.max(...runs.flatMap((run) => [served(run).length, refused(run).length]));
  const scale = { end: roundUp(end, 60_000), most: roundUp(most, 100) };
  const height = panel.top + runs.length * (panel.height + panel.gap);
  const panels = runs.map((run, at) =>
    drawPanel(run, panel.top + 24 + at * (panel.height + panel.gap), scale),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">${title}</title>
<style>
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .heading { font-weight: 600; font-size: 15px }
  .faint { fill: #59636e }
  .background { fill: #ffffff }
  .axis { stroke: #d1d9e0 }
  .hold { fill: #ddf4ff }
  .served { stroke: #0969da; fill: none; stroke-width: 2.5 }
  .refused { stroke: #cf222e; fill: none; stroke-width: 2.5; stroke-dasharray: 6 3 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .faint { fill: #9198a1 }
    .background { fill: #0d1117 }
    .axis { stroke: #3d444d }
    .hold { fill: #122b44 }
    .served { stroke: #4493f8 }
    .refused { stroke: #f85149 }
  }
</style>
<rect class="background" width="${width}" height="${height}" rx="8"/>
<text class="heading" x="${panel.left}" y="28">${title}</text>
${legend(50)}
${panels.join('\n')}
</svg>
`;
}

interface Scale {
  readonly end: number;
  readonly most: number;
}

function drawPanel(run: Run & { readonly client: string }, top: number, scale: Scale): string {
  const bottom = top + panel.height;
  const x = (at: number) => round(panel.left + (at / scale.end) * plot);
  const y = (value: number) => round(bottom - (value / scale.most) * panel.height);
  const minutes = Array.from({ length: scale.end / 60_000 + 1 }, (_, minute) => minute);
  const every = Math.ceil(minutes.length / 12);
  const ticks = minutes
    .filter((minute) => minute % every === 0)
    .map(
      (minute) =>
        `<text class="faint" x="${x(minute * 60_000)}" y="${bottom + 17}" text-anchor="middle">${minute} min</text>`,
    );
  const levels = [0, scale.most / 2, scale.most].map(
    (value) =>
      `<line class="axis" x1="${panel.left}" x2="${panel.left + plot}" y1="${y(value)}" y2="${y(value)}"/><text class="faint" x="${panel.left - 8}" y="${y(value) + 4}" text-anchor="end">${value}</text>`,
  );
  const holds = holdsOf(run).map(
    ([from, to]) =>
      `<rect class="hold" x="${x(from)}" y="${top}" width="${round(x(to) - x(from))}" height="${panel.height}"/>`,
  );
  const done = served(run);
  const no = refused(run);
  const summary = `${run.client}: ${done.length} of ${run.calls} served, ${no.length} × 429, ${run.bans} bans`;
  return `<g>
<text class="heading" x="${panel.left}" y="${top - 8}">${summary}</text>
${[...holds, ...levels, ...ticks].join('\n')}
<path class="refused" d="${steps(no, x, y)}"/>
<path class="served" d="${steps(done, x, y)}"/>
</g>`;
}

function legend(y: number): string {
  const entries = [
    ['served', 'calls served'],
    ['refused', 'requests answered with 429'],
  ] as const;
  const lines = entries.map(
    ([kind, text], at) =>
      `<line class="${kind}" x1="${panel.left + at * 150}" x2="${panel.left + 28 + at * 150}" y1="${y - 4}" y2="${y - 4}"/><text x="${panel.left + 36 + at * 150}" y="${y}">${text}</text>`,
  );
  const hold = `<rect class="hold" x="${panel.left + 400}" y="${y - 12}" width="28" height="14"/><text x="${panel.left + 436}" y="${y}">the client holds its calls back</text>`;
  return [...lines, hold].join('\n');
}

/** A line that rises by one at each moment. Moments that fall on one pixel are drawn as one step. */
function steps(
  moments: readonly number[],
  x: (at: number) => number,
  y: (value: number) => number,
): string {
  const points = moments.map((at, index) => {
    const next = moments[index + 1];
    return next !== undefined && x(next) === x(at) ? '' : `H${x(at)}V${y(index + 1)}`;
  });
  return `M${x(0)} ${y(0)}${points.join('')}`;
}

const served = (run: Run) =>
  sorted(run.outcomes.filter((outcome) => outcome.ok).map((outcome) => outcome.endedAt));
const refused = (run: Run) =>
  sorted(run.journal.flatMap((sent) => (sent.status === 429 ? (sent.answeredAt ?? []) : [])));
const lastMoment = (run: Run) => Math.max(...run.outcomes.map((outcome) => outcome.endedAt));
const sorted = (moments: number[]) => moments.sort((a, b) => a - b);
const roundUp = (value: number, unit: number) => Math.ceil(value / unit) * unit;
const round = (value: number) => Math.round(value * 10) / 10;

function holdsOf({ holds }: Run): [from: number, to: number][] {
  const spans: [number, number][] = [];
  let from: number | undefined;
  for (const { change, at } of holds) {
    if (change === 'hold') from ??= at;
    else if (from !== undefined) {
      spans.push([from, at]);
      from = undefined;
    }
  }
  return spans;
}
