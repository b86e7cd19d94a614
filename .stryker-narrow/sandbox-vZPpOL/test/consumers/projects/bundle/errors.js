// @ts-nocheck
// One error class: the client must stay out of the bundle.
import { NotFoundError } from 'petstore-client';

globalThis.outcome = typeof NotFoundError;
