// Names each document by its own heading, so that none needs front matter, and sorts them into guides and
// decisions.
import { Converter } from 'typedoc';

export function load(app) {
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context, document) => {
    const isDecision = /^(?:docs\/)?decisions\b/.test(document.name);
    document.frontmatter['group'] = isDecision ? 'Decisions' : 'Guides';
    const heading = document.content
      .map(({ text }) => /^# (.+)$/m.exec(text)?.[1])
      .find((title) => title !== undefined);
    if (heading !== undefined) document.name = heading;
  });
  // The site puts the name of the package over the README, whose own heading says it again.
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    const [first] = project.readme ?? [];
    if (first !== undefined) first.text = first.text.replace(/^# .+\n/, '');
  });
}
