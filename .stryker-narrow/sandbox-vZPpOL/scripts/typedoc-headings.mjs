// @ts-nocheck
// Keeps the code of a heading, such as `limit`, in its anchor and under "On This Page". TypeDoc collects both from the text
// tokens of a heading only, so each code token gets a text token of its own. The heading itself is shown as before.
// A heading of a field whose type takes many lines shows the name alone: the whole type is in the signature above.
import { Application, PageEvent } from 'typedoc';

/** More line breaks than a heading may have. */
const many = 5;

export function load(app) {
  // TypeDoc resets its options after it has loaded the plugins.
  app.on(Application.EVENT_BOOTSTRAP_END, () =>
    app.options.setValue('markdownItLoader', (parser) => {
      parser.core.ruler.push('code-in-headings', keepCode);
    }),
  );
  app.renderer.on(PageEvent.END, (page) => {
    page.contents = page.contents?.replaceAll(/<h5\b(?:(?!<\/h5>)[^])*<\/h5>/g, shortened);
  });
}

function shortened(heading) {
  if (heading.split('<br/>').length <= many) return heading;
  return heading.replace(/(<span class="tsd-signature-symbol">\??: <\/span>)[^]*/, '$1…</h5>');
}

function keepCode({ tokens, Token }) {
  const headings = tokens.filter((_token, index) => tokens[index - 1]?.type === 'heading_open');
  for (const code of headings.flatMap(({ children }) => children ?? [])) {
    if (code.type !== 'code_inline') continue;
    const text = new Token('text', '', 0);
    text.content = code.content;
    code.children = [text];
  }
}
