import { round } from './targets.js';

const width = 880;
const left = 290;
const right = 90;
const row = 30;
const top = 64;

/** A picture of one ratio for each name, the smallest first; `ours` stands out. Shorter is better. */
export function bars(
  title: string,
  under: string,
  values: readonly (readonly [name: string, ratio: number])[],
  ours: string,
): string {
  const sorted = [...values].sort(([, a], [, b]) => a - b);
  const most = Math.max(...sorted.map(([, ratio]) => ratio));
  const lines = sorted.map(([name, ratio], at) => {
    const y = top + at * row;
    const length = Math.max(2, (ratio / most) * (width - left - right));
    return `<text x="${left - 10}" y="${y + 16}" text-anchor="end">${name}</text><rect class="${name.startsWith(ours) ? 'ours' : 'other'}" x="${left}" y="${y + 2}" width="${length.toFixed(1)}" height="${row - 10}" rx="3"/><text x="${(left + length + 8).toFixed(1)}" y="${y + 16}">${round(ratio)}</text>`;
  });
  const height = top + sorted.length * row + 12;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">${title}. ${under}</title>
<style>
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .heading { font-weight: 600; font-size: 15px }
  .faint { fill: #59636e }
  .background { fill: #ffffff }
  .ours { fill: #0969da }
  .other { fill: #afb8c1 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .faint { fill: #9198a1 }
    .background { fill: #0d1117 }
    .ours { fill: #4493f8 }
    .other { fill: #656c76 }
  }
</style>
<rect class="background" width="${width}" height="${height}" rx="8"/>
<text class="heading" x="20" y="26">${title}</text>
<text class="faint" x="20" y="46">${under}</text>
${lines.join('\n')}
</svg>
`;
}
