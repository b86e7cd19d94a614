import type { MockService } from 'petstore-client/mocks';
import { resetRateLimitGates } from 'petstore-client';

/** The buttons at the foot: each puts the mock into a state that a real service gets into by itself. */
export function setUpDemo(service: MockService, reload: () => void): void {
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
      // Each state begins anew; what the client has learned about the limit is then no longer so.
      service.reset();
      resetRateLimitGates();
      states[button.dataset['demo'] ?? '']?.();
      reload();
    });
  }
}
