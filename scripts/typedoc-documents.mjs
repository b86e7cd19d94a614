// Names each document by its own heading, so that none needs front matter, and sorts them into guides,
// operations and decisions.
import { Converter } from 'typedoc';

const groups = { decisions: 'Decisions', operations: 'Operations' };

export function load(app) {
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context, document) => {
    const [, folder = ''] = /^(?:docs\/)?(decisions|operations)\b/.exec(document.name) ?? [];
    document.frontmatter['group'] = groups[folder] ?? 'Guides';
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
