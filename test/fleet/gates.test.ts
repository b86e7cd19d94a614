import { join } from 'node:path';
import { memoryStore, sqliteStore } from '../../src/fleet/index.js';
import { createRateLimitGate } from '../../src/index.js';
import { fleetOver, testGate } from '../support/gate-contract.js';
import { temporaryFolder } from '../support/temporary-folder.js';

testGate('the gate of one process', createRateLimitGate);
testGate('a fleet in memory', () => fleetOver(memoryStore()));
testGate('a fleet on SQLite', () => fleetOver(sqliteStore(join(temporaryFolder(), 'fleet.db'))));
