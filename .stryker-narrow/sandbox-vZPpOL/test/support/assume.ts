// @ts-nocheck
import {
  createMockService,
  type GivenAssumptions,
  type MockService,
  type MockServiceOptions,
} from '../../mocks/index.js';

/** A service with four pets on a virtual clock that answers by these assumptions. */
export const assume = (
  assumptions: GivenAssumptions,
  options: MockServiceOptions = {},
): MockService => createMockService({ clock: 'virtual', seed: 4, ...options, assumptions });
