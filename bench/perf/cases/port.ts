import type { Effort } from '../measure.js';
import { start, type ServerName } from '../ports.js';
import type { Ratio } from '../stats.js';
import load from './load.js';

export interface PortCase {
  readonly server: ServerName;
  readonly dist: string;
  readonly effort: Effort;
}

/** What a mock on a port needs for a list of 20 pets, beside a bare server; and how long until its first answer, ms. */
export default async function port({
  server,
  dist,
  effort,
}: PortCase): Promise<Ratio & { readonly firstAnswer: number }> {
  const base = await start('node:http by hand', new URL(dist));
  const own = await start(server, new URL(dist));
  try {
    return {
      ...(await load({ base: base.url, own: own.url, effort })),
      firstAnswer: own.firstAnswer,
    };
  } finally {
    base.stop();
    own.stop();
  }
}
