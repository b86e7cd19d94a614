import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The connections of a server, and the number of requests in flight on each. Node treats a connection that has not
 * sent a request yet as busy, and waits for it when the server closes.
 */
export class Connections {
  readonly #server: Server;
  readonly #requests = new Map<Socket, number>();
  #isClosing = false;

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket: Socket) => {
      this.#requests.set(socket, 0);
      socket.on('close', () => this.#requests.delete(socket));
    });
  }

  /** The number of requests in flight. */
  get underWay(): number {
    return [...this.#requests.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Counts a request until its response is sent, or its connection closes. */
  begin(socket: Socket, outgoing: ServerResponse): void {
    this.#requests.set(socket, (this.#requests.get(socket) ?? 0) + 1);
    outgoing.on('close', () => {
      if (!this.#requests.has(socket)) return;
      this.#requests.set(socket, this.#requests.get(socket)! - 1);
      // A closing server does not let a client reuse its connection.
      if (this.#isClosing) this.#closeIdle();
    });
  }

  /** Accepts no more connections, closes the idle ones at once, and the others when they become idle, at the latest after `grace` ms. */
  close(grace: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#server.closeAllConnections(), grace);
      this.#isClosing = true;
      this.#server.close(() => {
        clearTimeout(timer);
        resolve();
      });
      this.#closeIdle();
    });
  }

  #closeIdle(): void {
    for (const [socket, count] of this.#requests) if (count === 0) socket.destroySoon();
  }
}
