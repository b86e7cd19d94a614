import { Agent, get } from 'node:http';
import type { Effort } from '../measure.js';
import { ratioOf, type Ratio } from '../stats.js';

export interface LoadCase {
  readonly base: string;
  readonly own: string;
  readonly effort: Effort;
}

const connections = 10;

/** Requests over ten connections to two servers in turns: µs a request by the clock. */
export default async function load({ base, own, effort }: LoadCase): Promise<Ratio> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const count = effort.ms * 20;
  for (const url of [base, own]) await clocked(url, count, agent);
  const pairs: [number, number][] = [];
  for (let slice = 0; slice < effort.slices; slice++)
    pairs.push([await clocked(base, count, agent), await clocked(own, count, agent)]);
  agent.destroy();
  return ratioOf(pairs);
}

async function clocked(url: string, count: number, agent: Agent): Promise<number> {
  let left = count;
  const worker = async () => {
    while (left-- > 0) await ask(url, agent);
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: connections }, worker));
  return ((performance.now() - began) * 1_000) / count;
}

function ask(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { authorization: 'Bearer mock-enterprise' } }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${url} answered with ${answer.statusCode}`));
      answer.resume().on('end', resolve).on('error', reject);
    }).on('error', reject);
  });
}
