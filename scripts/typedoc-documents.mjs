// Names each document by its own heading, so that none needs front matter, and sorts them into guides and decisions.
import { Converter } from 'typedoc';

export function load(app) {
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context, document) => {
    document.frontmatter['group'] = document.name.startsWith('decisions_') ? 'Decisions' : 'Guides';
    const heading = document.content.map(({ text }) => /^# (.+)$/m.exec(text)?.[1]).find((title) => title !== undefined);
    if (heading !== undefined) document.name = heading;
  });
}
