// @ts-nocheck
// Makes the names of sections in `Service interface: "Errors", "Limits"` of a doc comment links to the sections of
// docs/interface.md. A name without a section there is a warning, which fails the build of the site.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Converter } from 'typedoc';

const page = resolve(import.meta.dirname, '../docs/interface.md');
const citation = /(Service interface:\s+)("[^"]+"(?:,\s+"[^"]+")*)/;

export function load(app) {
  const headings = [...readFileSync(page, 'utf8').matchAll(/^### (.+)$/gm)].map(([, text]) => text);

  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    const { target } = project.files.registerAbsolute(page);

    /** `NewPet` is the section "NewPet (request body for creation)". */
    function linkTo(name, owner) {
      const title = name.replaceAll(/\s+/g, ' ');
      const heading = headings.find((each) => each === title || each.startsWith(`${title} (`));
      if (heading === undefined) {
        app.logger.warn(
          `${owner.getFullName()} cites the section "${title}" of the service interface: docs/interface.md has none`,
        );
        return [text(`"${title}"`)];
      }
      const targetAnchor = anchorOf(heading);
      const path = `docs/interface.md#${targetAnchor}`;
      return [
        text(`[${title}](`),
        { kind: 'relative-link', text: path, target, targetAnchor },
        text(')'),
      ];
    }

    function withLinks(parts, owner) {
      return parts.flatMap((part) => {
        if (part.kind !== 'text') return [part];
        const [before, lead, names, ...after] = part.text.split(citation);
        if (names === undefined) return [part];
        const links = [...names.matchAll(/"([^"]+)"/g)].flatMap(([, name], index) => [
          ...(index > 0 ? [text(', ')] : []),
          ...linkTo(name, owner),
        ]);
        return [text(before + lead), ...links, ...withLinks([text(after.join(''))], owner)];
      });
    }

    for (const owner of Object.values(project.reflections)) {
      const { comment } = owner;
      if (comment === undefined) continue;
      comment.summary = withLinks(comment.summary, owner);
      for (const tag of comment.blockTags) tag.content = withLinks(tag.content, owner);
    }
  });
}

const text = (content) => ({ kind: 'text', text: content });

/** The anchor that GitHub and TypeDoc give to a heading. */
function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}
