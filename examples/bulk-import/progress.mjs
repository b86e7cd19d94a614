/** A bar on a terminal; nothing at all in a pipe or a log, where it would be noise. */
export function progressBar(stream, total) {
  const width = 30;
  let note = '';
  let shown = 0;
  const draw = () => {
    if (!stream.isTTY) return;
    const filled = Math.round((shown / total) * width);
    stream.write(
      `\r\x1b[K${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${shown}/${total}${note}`,
    );
  };
  return {
    show(done) {
      shown = done;
      draw();
    },
    note(text) {
      note = text === '' ? '' : `  ${text}`;
      draw();
    },
    end() {
      if (stream.isTTY) stream.write('\n');
    },
  };
}
