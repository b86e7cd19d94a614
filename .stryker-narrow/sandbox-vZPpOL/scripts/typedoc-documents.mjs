// @ts-nocheck
// Names each document by its own heading, so that none needs front matter, and sorts them into guides, decisions and the
// changelog, which also shows the changes of the next release.
import { globSync, readFileSync } from 'node:fs';
import { Converter } from 'typedoc';

const changesets = '.changeset/*.md';

export function load(app) {
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context, document) => {
    if (document.name === 'CHANGELOG') return becomeChangelog(document);
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

function becomeChangelog(document) {
  document.name = 'Changelog';
  document.frontmatter['group'] = 'Changes';
  const changes = globSync(changesets)
    .sort()
    .map((path) => readFileSync(path, 'utf8').replace(/^---[^]*?^---\n/m, ''));
  const [first] = document.content;
  const released = first.text.replace(/^# .+/, '');
  const next = changes.length === 0 ? '' : `## The next release\n\n${changes.join('\n')}`;
  first.text = `# Changelog\n\n${next}${released}`;
}
