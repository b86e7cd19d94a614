/** A line with a bar and the estimated end on a terminal. In a pipe or a log, a line for each wait. */
export function progressBar(stream) {
  const width = 30;
  let shownHold;
  return {
    show({ done, total, heldUntil, estimatedEnd }) {
      const filled = total === 0 ? width : Math.round((done / total) * width);
      const hold = heldUntil === undefined ? '' : `, waits until ${time(heldUntil)}`;
      const end = estimatedEnd === undefined ? '' : `, ends about ${time(estimatedEnd)}`;
      const text = `${done}/${total}${hold}${end}`;
      if (stream.isTTY) {
        stream.write(`\r\x1b[K${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${text}`);
      } else if (heldUntil !== undefined && hold !== shownHold) {
        stream.write(`${text}\n`);
        shownHold = hold;
      }
    },
    end() {
      if (stream.isTTY) stream.write('\n');
    },
  };
}

/** 2026-01-31 09:30 UTC */
const time = (date) => `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
