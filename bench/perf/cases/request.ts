import type { Request } from '../answers.js';
import { raw } from '../clients/fetch.js';
import { clients, type ClientName } from '../clients/index.js';
import type { MakeClient, Target } from '../clients/client.js';
import { paired, type Effort } from '../measure.js';
import type { Ratio } from '../stats.js';
import { stub } from '../stub.js';

export interface RequestCase {
  readonly client: ClientName;
  readonly request: Request;
  readonly dist: string;
  readonly effort: Effort;
}

/** One request through a client, without a network, beside the same by hand. */
export default async function request({
  client,
  request: name,
  dist,
  effort,
}: RequestCase): Promise<Ratio> {
  const target: Target = { baseUrl: 'https://bench.example/v1', fetch: stub, dist: new URL(dist) };
  const make: MakeClient = await clients[client]();
  const calls = await make(target);
  const answer = await calls[name]();
  if (answer === undefined) throw new Error(`${client} gave no answer to ${name}.`);
  return paired(raw(target)[name], calls[name], effort);
}
