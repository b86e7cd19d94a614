import type { Case } from '../case.js';
import { createAssumptions } from './assumptions-create.js';
import { headerAssumptions } from './assumptions-headers.js';
import { requestAssumptions } from './assumptions-requests.js';
import { answerStatements } from './statements-answers.js';
import { createStatements } from './statements-create.js';
import { limitStatements } from './statements-limit.js';
import { listStatements } from './statements-list.js';

/** Every case, in the order in which they are asked: what makes pets or reaches the limit comes last. */
export const cases: readonly Case[] = [
  ...listStatements.filter(({ id }) => id === 'reach'),
  ...answerStatements,
  ...listStatements.filter(({ id }) => id !== 'reach'),
  ...requestAssumptions,
  ...headerAssumptions,
  ...createStatements,
  ...createAssumptions,
  ...limitStatements,
];
