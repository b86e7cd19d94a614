import type { ControlRoute } from './route.js';
import { faultRoutes } from './routes/faults.js';
import { keyRoutes } from './routes/keys.js';
import { petRoutes } from './routes/pets.js';
import { requestRoutes } from './routes/requests.js';
import { serviceRoutes } from './routes/service.js';

/** The routes of the control API. Checks, messages and its OpenAPI description are made from them. */
export const routes: Readonly<Record<string, ControlRoute>> = {
  ...serviceRoutes,
  ...petRoutes,
  ...keyRoutes,
  ...faultRoutes,
  ...requestRoutes,
};

/** The same as a list. The parameter at the end of a path takes the rest of it, because a key may contain a slash. */
export const routeList = Object.entries(routes).map(([name, route]) => {
  const [method = '', path = ''] = name.split(' ');
  const [, parameter] = /\{(\w+)\}/.exec(path) ?? [];
  return {
    method,
    path,
    parameter,
    pattern: new RegExp(`^${path.replace(/\{.+/, '(.+)')}$`),
    route,
  };
});
