// @ts-nocheck
// Writes two text files beside the site: llms.txt, a list of all documents with their links, and llms-full.txt, all documents
// as one Markdown file. Both follow the order of typedoc.json.
import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

process.chdir(new URL('..', import.meta.url).pathname);
const read = (path) => readFileSync(path, 'utf8');
const { name, description } = JSON.parse(read('package.json'));
const { projectDocuments, readme, out } = JSON.parse(read('typedoc.json'));

/** The documents, with their heading and first sentence. */
const documents = projectDocuments
  .flatMap((pattern) => globSync(pattern).sort())
  .map((path) => {
    const text = read(path).trim();
    // Changesets gives the changelog the name of the package as its heading.
    const title = path === 'CHANGELOG.md' ? 'Changelog' : /^# (.+)$/m.exec(text)[1];
    return { path, text, title, summary: firstSentence(text) };
  });

/** The page of each document, by its heading. TypeDoc chooses the names of the files. */
const pages = new Map(
  readdirSync(`${out}/documents`).map((file) => {
    const [, title] = /<title>(.+) \| [^|]+<\/title>/.exec(read(`${out}/documents/${file}`));
    return [unescapeHtml(title), `documents/${file}`];
  }),
);

const line = ({ path, title, summary }) => {
  const page = pages.get(title);
  if (page === undefined) throw new Error(`the site has no page of ${path}, "${title}"`);
  return `- [${title}](${encodeURI(page)})${summary === '' ? '' : `: ${summary}`}`;
};
const isOptional = ({ path }) => path.startsWith('docs/decisions/') || path === 'CHANGELOG.md';

writeFileSync(
  `${out}/llms.txt`,
  `# ${name}

> ${description}

[llms-full.txt](llms-full.txt) has the text of all documents. [index.html](index.html) leads to the reference of each entry.

## Documents

${documents
  .filter((document) => !isOptional(document))
  .map(line)
  .join('\n')}

## Optional

${documents.filter(isOptional).map(line).join('\n')}
`,
);

const parts = [{ path: readme, text: read(readme).trim() }, ...documents];
writeFileSync(
  `${out}/llms-full.txt`,
  `${parts.map(({ path, text }) => `<!-- ${path} -->\n\n${text}`).join('\n\n')}\n`,
);

/** The first sentence, on one line, without the targets of its links. */
function firstSentence(text) {
  const paragraphs = text.replaceAll(/<!--[\s\S]*?-->/g, '').split(/\n{2,}/);
  const first = paragraphs.find((each) => /^(?!```)[\p{L}`*[]/u.test(each.trim())) ?? '';
  const prose = first.trim().replace(/^\*\*[^*]+\*\* /, '');
  // A full stop within code ends no sentence.
  const [sentence] = /^(?:`[^`]*`|[^`])*?[.:](?=\s|$)/.exec(prose) ?? [prose];
  return sentence
    .replace(/:$/, '.')
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll(/\s+/g, ' ');
}

function unescapeHtml(text) {
  const characters = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
  return text.replaceAll(/&(lt|gt|quot|#39|amp);/g, (_entity, entity) => characters[entity]);
}
