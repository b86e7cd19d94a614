/** A line with a bar and the estimated end on a terminal, no wider than it. In a pipe or a log, a line for each wait. */
export function progressBar(stream) {
  let shownHold;
  return {
    show({ done, total, heldUntil, estimatedEnd }) {
      const hold = heldUntil && `waits until ${time(heldUntil)}`;
      const end = estimatedEnd && `ends about ${time(estimatedEnd)}`;
      if (stream.isTTY) {
        const columns = (stream.columns || 80) - 1;
        const text = ` ${done}/${total} ${hold ?? end ?? ''}`.slice(0, columns);
        const width = Math.min(30, columns - text.length);
        const filled = total === 0 ? width : Math.round((done / total) * width);
        stream.write(`\r\x1b[K${'█'.repeat(filled)}${'░'.repeat(width - filled)}${text}`);
      } else if (hold !== undefined && hold !== shownHold) {
        stream.write(`${[`${done}/${total}`, hold, end].filter(Boolean).join(', ')}\n`);
        shownHold = hold;
      }
    },
    end() {
      if (stream.isTTY) stream.write('\n');
    },
  };
}

/** 2026-01-31 09:30 UTC */
export const time = (date) => `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
