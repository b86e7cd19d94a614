import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import net, { type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A Redis and its replica, behind a proxy, so that a failover leads the connections elsewhere. */
export class ReplicatedRedis {
  readonly #folder = mkdtempSync(join(tmpdir(), 'fleet-bench-redis-'));
  readonly #servers = new Map<number, ChildProcess>();
  readonly #sockets = new Set<Socket>();
  readonly #proxy: Server;
  #ports: readonly [first: number, second: number] = [0, 0];
  #target = 0;

  private constructor() {
    this.#proxy = net.createServer((client) => {
      const server = net.connect(this.#target, '127.0.0.1');
      for (const socket of [client, server]) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          client.destroy();
          server.destroy();
          this.#sockets.delete(socket);
        });
      }
      client.pipe(server).pipe(client);
    });
  }

  static async start(): Promise<ReplicatedRedis> {
    const redis = new ReplicatedRedis();
    const ports = [await freePort(), await freePort()] as const;
    redis.#ports = ports;
    redis.#target = ports[0];
    redis.startFirst();
    redis.#startServer(ports[1]);
    await sleep(800);
    redis.follow();
    redis.#proxy.listen(0, '127.0.0.1');
    await once(redis.#proxy, 'listening');
    return redis;
  }

  /** The port of the proxy. */
  get port(): number {
    return (this.#proxy.address() as AddressInfo).port;
  }

  /** The first server: it is new, or was killed. */
  startFirst(): void {
    this.#startServer(this.#ports[0]);
  }

  /** `kill -9` for the first server. */
  killFirst(): void {
    this.#servers.get(this.#ports[0])?.kill('SIGKILL');
  }

  /** The second server is a replica of the first. */
  follow(): void {
    this.#cli(this.#ports[1], 'replicaof', '127.0.0.1', String(this.#ports[0]));
  }

  /** One command for the first server. */
  command(...args: string[]): string {
    return this.#cli(this.#ports[0], ...args);
  }

  /** Promotes the replica, and cuts all connections. */
  failOver(): void {
    this.#target = this.#ports[1];
    this.#cli(this.#ports[1], 'replicaof', 'no', 'one');
    for (const socket of this.#sockets) socket.destroy();
  }

  stop(): void {
    this.#proxy.close();
    for (const socket of this.#sockets) socket.destroy();
    for (const server of this.#servers.values()) server.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #startServer(port: number): void {
    const folder = mkdtempSync(join(this.#folder, 'server-'));
    const options = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
    const server = spawn('redis-server', ['--port', String(port), ...options], { stdio: 'ignore' });
    this.#servers.set(port, server);
  }

  #cli(port: number, ...args: string[]): string {
    try {
      return execFileSync('redis-cli', ['-p', String(port), ...args], { timeout: 3_000 })
        .toString()
        .trim();
    } catch (failure) {
      return (failure as Error).message.split('\n')[0]!;
    }
  }
}

async function freePort(): Promise<number> {
  const server = net.createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
