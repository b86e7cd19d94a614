/**
 * One rate-limit gate for many processes that share an API key, in Redis, Valkey, SQLite or a store of your own.
 *
 * @module petstore-client/fleet
 */
export { createFleetGate, fleetDiagnosticsChannel } from './gate.js';
export { memoryStore } from './stores/memory.js';
export { redisStore } from './stores/redis.js';
export { sqliteStore } from './stores/sqlite.js';
export { checkFleetStore } from './stores/check-store.js';
export type {
  FleetEvent,
  FleetGate,
  FleetGateOptions,
  FleetKeyStatus,
  FleetStatus,
  FleetStore,
} from './types.js';
