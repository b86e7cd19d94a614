import { howToSet } from '../contract/environments.js';
import { singleton } from '../utils/singleton.js';

/**
 * Prints one line on the console when a client would call the placeholder address, once in a process for each variable. Not an error: a
 * test may intercept the requests to this address.
 */
export function warnOfPlaceholder(variable: string, baseUrl: string): void {
  const shown = singleton('placeholders', () => new Set<string>());
  if (shown.has(variable)) return;
  shown.add(variable);
  console.warn(
    `petstore-client: no address is set, so requests go to the placeholder ${baseUrl}, which does not exist: ` +
      `${howToSet('baseUrl', variable)}. In a test that intercepts requests, logLevel: 'off' hides this message. It is shown once.`,
  );
}
