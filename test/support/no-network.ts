import { Socket } from 'node:net';

const loopback = /^(?:localhost|127(?:\.\d+){3}|::1|\[::1\])$/;

/** Refuses every connection beyond this machine from now on; `tried` lists them, `restore` ends it. */
export function forbidNetwork(): { readonly tried: string[]; restore(): void } {
  const tried: string[] = [];
  const prototype = Socket.prototype as { connect: (...args: unknown[]) => Socket };
  const { connect } = prototype;
  prototype.connect = function (this: Socket, ...args) {
    // Node's own callers pass their arguments as one array.
    const [first] = args.flat() as [{ host?: string; path?: string } | number, string?];
    const host = typeof first === 'object' ? (first.host ?? 'localhost') : 'localhost';
    if (loopback.test(host)) return connect.apply(this, args);
    tried.push(host);
    return this.destroy(new Error(`a block reached for ${host}`));
  };
  return {
    tried,
    restore() {
      prototype.connect = connect;
    },
  };
}
