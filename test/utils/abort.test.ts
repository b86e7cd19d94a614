import { expect, test } from 'vitest';
import { whenAborted } from '../../src/utils/abort.js';

test('a wait that another one leaves while their signal is aborted is not ended', () => {
  const controller = new AbortController();
  const ended: string[] = [];
  whenAborted(controller.signal, () => (ended.push('first'), leave()));
  const leave = whenAborted(controller.signal, () => ended.push('second'));
  controller.abort();
  expect(ended).toEqual(['first']);
});
