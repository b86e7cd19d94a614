// @ts-nocheck
// Puts links to npm, the repository and the changelog into the header of each page, and shows the entries in the sidebar without
// the name of the package. The repository is known where the release workflow runs: see fill-repository.mjs.
import { readFileSync } from 'node:fs';
import { Application, PageEvent, RendererEvent } from 'typedoc';

const { name } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env;
const changelog = 'documents/Changelog.html';

export function load(app) {
  // TypeDoc resets its options after it has loaded the plugins.
  app.on(Application.EVENT_BOOTSTRAP_END, () =>
    app.options.setValue('navigationLinks', {
      npm: `https://www.npmjs.com/package/${name}`,
      ...(server && repository && { Repository: `${server}/${repository}` }),
      Changelog: changelog,
    }),
  );
  // TypeDoc writes these addresses as they are, but a page in a folder needs its way to the root.
  app.renderer.on(PageEvent.END, (page) => {
    const toRoot = '../'.repeat(page.url.split('/').length - 1);
    page.contents = page.contents?.replaceAll(
      `href="${changelog}"`,
      `href="${toRoot}${changelog}"`,
    );
  }); // The sidebar is narrow: with the name of the package, most entries would take two lines.
  app.renderer.on(RendererEvent.BEGIN, () => {
    const { theme } = app.renderer;
    const build = theme.buildNavigation.bind(theme);
    theme.buildNavigation = (project) => build(project).map(shorten);
  });
}

const shorten = (element) => ({
  ...element,
  text: element.text.replace(`${name}/`, ''),
  ...(element.children && { children: element.children.map(shorten) }),
});
