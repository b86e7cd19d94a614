// @ts-nocheck
import type { MockService } from 'petstore-client/mocks';
import { resetRateLimitGates } from 'petstore-client';
import { find } from './element.js';

/** The buttons at the bottom. Each puts the mock into a state that can also occur in the real service. */
export function setUpDemo(service: MockService, reload: () => void): void {
  find<HTMLElement>('#demo').hidden = false;
  const key = () => service.keys.get('mock-free');
  const states: Readonly<Record<string, () => unknown>> = {
    slow: () => service.faults.add({ delay: 3_000 }),
    empty: () => service.pets.clear(),
    broken: () => service.faults.add({ 'network-error': true }),
    busy: () => key().exhaust('minute'),
    closed: () => key().exhaust('day'),
  };
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-demo]')) {
    button.addEventListener('click', () => {
      // Each state starts with a new service, so the client must forget what it knows about the rate limit.
      service.reset();
      resetRateLimitGates();
      states[button.dataset['demo'] ?? '']?.();
      reload();
    });
  }
}
