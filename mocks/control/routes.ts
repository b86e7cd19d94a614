import type { Routes } from './route.js';
import { faultRoutes } from './routes/faults.js';
import { keyRoutes } from './routes/keys.js';
import { petRoutes } from './routes/pets.js';
import { requestRoutes } from './routes/requests.js';
import { serviceRoutes } from './routes/service.js';
import { snapshotRoutes } from './routes/snapshot.js';
import { worldRoutes } from './routes/worlds.js';

/** The routes of the control API. Its OpenAPI description is made from them. */
export const routes: Routes = {
  ...serviceRoutes,
  ...petRoutes,
  ...keyRoutes,
  ...faultRoutes,
  ...requestRoutes,
  ...snapshotRoutes,
  ...worldRoutes,
};
