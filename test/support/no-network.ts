import dns from 'node:dns';
import { isIP, Socket } from 'node:net';

const loopback = /^(?:localhost|127(?:\.\d+){3}|::1)$/;

/** Refuses every connection beyond this machine in the rest of the test file, and returns the list of them. */
export function forbidNetwork(): string[] {
  const tried: string[] = [];
  const refuse = (host: string): Error => {
    tried.push(host);
    return Object.assign(new Error(`a block reached for ${host}`), { code: 'ENOTFOUND' });
  };

  // Names are stopped where they are looked up, and not before: msw answers for them on the way there.
  const { lookup } = dns;
  Object.assign(dns, {
    lookup(host: string, ...rest: unknown[]) {
      if (loopback.test(host)) return (lookup as (...args: unknown[]) => void)(host, ...rest);
      const error = refuse(host);
      process.nextTick(() => (rest.at(-1) as (error: Error) => void)(error));
    },
  });

  const prototype = Socket.prototype as { connect: (...args: unknown[]) => Socket };
  const { connect } = prototype;
  prototype.connect = function (this: Socket, ...args) {
    // Node's own callers pass their arguments as one array.
    const { host = 'localhost' } = Object(args.flat()[0]) as { host?: string };
    return isIP(host) === 0 || loopback.test(host)
      ? connect.apply(this, args)
      : this.destroy(refuse(host));
  };

  return tried;
}
