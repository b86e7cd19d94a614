import { fieldsOf } from '../errors/redact.js';
import type { Issue } from '../errors/issues.js';
import type { RawResponse } from './fetch.js';

/** A function that the caller passed failed: `apiKey`, `headers`, `fetch` or a gate. */
export class CallbackError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

/** `timeout` or `totalTimeout` has passed. */
export class DeadlineExceeded extends Error {
  readonly option: 'timeout' | 'totalTimeout';
  /** The value of the option, for messages. */
  readonly ms: number;

  constructor(option: 'timeout' | 'totalTimeout', ms: number) {
    super(`${option} passed`);
    this.option = option;
    this.ms = ms;
  }
}

/** The status is a success, but the body does not match the contract. */
export class InvalidBodyFailure extends Error {
  readonly raw: RawResponse;
  readonly issues: readonly Issue[];

  constructor(message: string, raw: RawResponse, issues: readonly Issue[] = [], cause?: unknown) {
    super(message, { cause });
    this.raw = raw;
    this.issues = issues;
  }
}

/** A connection that failed before the request was sent. */
interface UnsentRequest {
  /** What to do, where the address and the network are not the reason. */
  readonly nextStep?: string;
  /** The next attempt would fail as well. */
  readonly isFinal?: boolean;
}

const checkCertificate: UnsentRequest = {
  nextStep:
    'the certificate of the service is not trusted: for one of your own, set NODE_EXTRA_CA_CERTS',
  isFinal: true,
};

/**
 * Failures of a connection after which nothing was sent, as the runtimes name them: by system call and code, otherwise by message. The first
 * row that fits counts. After another system call, such as `read EHOSTUNREACH`, the request may have been received.
 */
const unsent: readonly (readonly [RegExp, UnsentRequest])[] = [
  // Node.
  [/^(?:connect |getaddrinfo |(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)\b)/, {}],
  [
    /^bad port/,
    { nextStep: 'fetch never connects to this port: check the address', isFinal: true },
  ],
  [/before secure TLS connection was established/, {}],
  // Bun says EPROTO. With a system call before it, the connection was established.
  [
    /^EPROTO\b|wrong[ _]version[ _]number/i,
    { nextStep: 'the port may speak http: instead of https:' },
  ],
  [
    /ERR_SSL_\S*(?:HANDSHAKE_FAILURE|PROTOCOL|INSUFFICIENT_SECURITY|UNRECOGNIZED_NAME|CERTIFICATE|UNKNOWN_CA)/,
    {
      nextStep: 'the TLS handshake failed: check TLS versions, ciphers and client certificates',
      isFinal: true,
    },
  ],
  [
    /\b407\b.*CONNECT|HTTP Tunneling|ERR_PROXY_TUNNEL/i,
    {
      nextStep:
        'the proxy refused to connect: check its address and credentials (407: it asks for credentials)',
    },
  ],
  [
    /invalid on\w+ method/,
    {
      nextStep:
        "fetch and its dispatcher are of different versions of undici: pass that version's own fetch",
      isFinal: true,
    },
  ],
  [/^(?:CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH)/, checkCertificate],
  // Bun.
  [/^(?:ConnectionRefused|FailedToOpenSocket)\b/, {}],
  // Deno.
  [/client error \(Connect\).*invalid peer certificate/i, checkCertificate],
  [/client error \(Connect\)|dns error/, {}],
];

/** Finds out that a request was not sent, because connecting failed; `undefined` if it may have been sent. */
export function unsentRequest(failure: unknown): UnsentRequest | undefined {
  const texts = chainOf(failure).flatMap(({ text, message }) => [text, message]);
  const found = unsent.find(([pattern]) => texts.some((text) => pattern.test(text)));
  return found?.[1];
}

/** The code of a failed connection, such as `ECONNRESET`, and the message of its innermost cause, which says most. */
export function describeFailure(failure: unknown): {
  readonly code: string | undefined;
  readonly reason: string;
} {
  const chain = chainOf(failure);
  const { code } = chain.findLast((link) => link.code !== undefined) ?? {};
  const { text = '', message = '' } =
    chain.findLast((link) => link.text + link.message !== '') ?? {};
  // Node's messages begin with both: `connect ECONNREFUSED 127.0.0.1:4010`.
  const parts = message.includes(text) ? [message] : [text, message];
  return { code, reason: parts.filter((part) => part !== '').join(': ') };
}

interface ChainLink {
  readonly code: string | undefined;
  readonly message: string;
  /** System call and code: `connect ECONNREFUSED`. */
  readonly text: string;
}

/** An error and its causes, outermost first. */
function chainOf(failure: unknown, depth = 0): ChainLink[] {
  if (typeof failure !== 'object' || failure === null || depth > 5) return [];
  const { code, syscall, cause, errors, message } = fieldsOf(failure);
  const inner = [cause, ...(Array.isArray(errors) ? (errors as unknown[]) : [])];
  const link = {
    code: typeof code === 'string' ? code : undefined,
    message: typeof message === 'string' ? message : '',
    text: [syscall, code].filter((part) => typeof part === 'string').join(' '),
  };
  return [link, ...inner.flatMap((one) => chainOf(one, depth + 1))];
}
