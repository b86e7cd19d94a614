import type { Issue } from '../errors/issues.js';
import { fieldsOf } from '../errors/redact.js';
import type { RawResponse } from './fetch.js';

/** `timeout` or `totalTimeout` has passed. */
export class DeadlineExceeded extends Error {
  readonly option: 'timeout' | 'totalTimeout';

  constructor(option: 'timeout' | 'totalTimeout') {
    super(`${option} passed`);
    this.option = option;
  }
}

/** A response that is no result: its status is no success, or its body does not match the contract. */
export class ResponseFailure extends Error {
  readonly raw: RawResponse;
  readonly issues: readonly Issue[];

  constructor(raw: RawResponse, message = '', issues: readonly Issue[] = [], cause?: unknown) {
    super(message, { cause });
    this.raw = raw;
    this.issues = issues;
  }
}

/** `nextStep`: what to do, `''` where the address and the network may be the reason. `isFinal`: the next attempt would fail as well. */
type UnsentRequest = readonly [failure: RegExp, nextStep: string, isFinal?: boolean];

/**
 * Failures of a connection after which nothing was sent, as the runtimes name them: by system call and code, otherwise by message. The first row
 * that fits counts. After another system call, such as `read EHOSTUNREACH`, the request may have been received.
 */
const unsent: readonly UnsentRequest[] = [
  // Bun says EPROTO. With a system call before it, the connection was established.
  [
    /^(?:EPROTO\b|CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH)|ERR_SSL_\S*(?:HANDSHAKE_FAILURE|PROTOCOL|INSUFFICIENT_SECURITY|UNRECOGNIZED_NAME|CERTIFICATE|UNKNOWN_CA)|wrong[ _]version[ _]number|client error \(Connect\).*invalid peer certificate/i,
    'the TLS handshake failed: check that the port speaks https:, the TLS versions, and the certificates (for one of your own, set NODE_EXTRA_CA_CERTS)',
    true,
  ],
  [
    /invalid on\w+ method/,
    "fetch and its dispatcher are of different versions of undici: pass that version's own fetch",
    true,
  ],
  [
    /\b407\b.*CONNECT|HTTP Tunneling|ERR_PROXY_TUNNEL/i,
    'the proxy refused to connect: check its address and credentials (407: it asks for credentials)',
  ],
  [/^bad port/, 'fetch never connects to this port: check the address', true],
  // Node; Bun; Deno.
  [
    /^(?:connect |getaddrinfo |(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)\b)|before secure TLS connection was established|^(?:ConnectionRefused|FailedToOpenSocket)\b|client error \(Connect\)|dns error/,
    '',
  ],
];

/** The row for a failure after which it is certain that nothing was sent. `undefined` if the request may have been sent. */
export function unsentRequest(failure: unknown): UnsentRequest | undefined {
  const texts = chainOf(failure).flatMap(({ text, message }) => [text, message]);
  return unsent.find(([pattern]) => texts.some((text) => pattern.test(text)));
}

/** The code of a failed connection, such as `ECONNRESET`, the message of its innermost cause, which says most, and its row if nothing was sent. */
export function describeFailure(
  failure: unknown,
): [code: string | undefined, reason: string, unsent: UnsentRequest | undefined] {
  const chain = chainOf(failure);
  const code = chain.findLast((link) => link.code !== '')?.code;
  const { text = '', message = '' } = chain.findLast((link) => link.text + link.message) ?? {};
  // Node's messages begin with both: `connect ECONNREFUSED 127.0.0.1:4010`.
  const parts = message.includes(text) ? [message] : [text, message];
  return [code, parts.filter((part) => part !== '').join(': '), unsentRequest(failure)];
}

/** An error and its causes, outermost first. `text`: system call and code, such as `connect ECONNREFUSED`. */
function chainOf(failure: unknown, depth = 0): Record<'code' | 'message' | 'text', string>[] {
  if (typeof failure !== 'object' || failure === null || depth > 5) return [];
  const { cause, errors, ...fields } = fieldsOf(failure);
  const inner = [cause, errors].flat() as unknown[];
  const textOf = (name: string) => (typeof fields[name] === 'string' ? fields[name] : '');
  const [code, message] = [textOf('code'), textOf('message')];
  const link = { code, message, text: `${textOf('syscall')} ${code}`.trim() };
  return [link, ...inner.flatMap((one) => chainOf(one, depth + 1))];
}
