// @ts-nocheck
import type { Pet } from 'petstore-client';
import { element } from './element.js';

/** The states of the main part of the page. */
export type Board =
  | { readonly kind: 'loading' }
  | { readonly kind: 'pets'; readonly pets: readonly Pet[] }
  | { readonly kind: 'empty'; readonly sentence: string }
  | { readonly kind: 'error'; readonly sentence: string; readonly again: () => void };

export function render(root: HTMLElement, board: Board): void {
  root.dataset['kind'] = board.kind;
  root.ariaBusy = String(board.kind === 'loading');
  root.replaceChildren(...content(board));
}

function content(board: Board): Node[] {
  switch (board.kind) {
    case 'loading':
      return [
        element('p', { className: 'unseen' }, 'Loading'),
        list(Array.from({ length: 8 }, skeleton)),
      ];
    case 'pets':
      return [list(board.pets.map(card))];
    case 'empty':
      return [element('p', { className: 'large' }, board.sentence)];
    case 'error': {
      const button = element('button', { type: 'button', className: 'primary' }, 'Try again');
      button.addEventListener('click', board.again);
      return [element('p', { className: 'large', role: 'alert' }, board.sentence), button];
    }
  }
}

const list = (items: Node[]) => element('ul', { className: 'cards' }, ...items);

const skeleton = () => element('li', { className: 'card skeleton', ariaHidden: 'true' });

function card({ id, name, categoryId, status = 'unknown' }: Pet): HTMLElement {
  const face = element(
    'span',
    { className: 'face', ariaHidden: 'true' },
    name.slice(0, 1).toUpperCase(),
  );
  // Each category has its own color, clearly different from the next ones.
  face.style.setProperty('--hue', String((categoryId * 137) % 360));
  return element(
    'li',
    { className: 'card' },
    face,
    element('strong', {}, name),
    element('span', { className: 'small' }, `No. ${id} · category ${categoryId}`),
    // A newer service may send an unknown status, which is shown unchanged.
    element('span', { className: `status ${status}` }, status),
  );
}
