import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { headingAnchor, siteMarkdown } from './markdown.js';
import { navigation, sidebar } from './sidebar.js';

const docs = fileURLToPath(new URL('..', import.meta.url));
const { description, repository, homepage } = JSON.parse(readFileSync(`${docs}../package.json`, 'utf8')) as {
  readonly description: string;
  readonly repository: { readonly url: string };
  readonly homepage: string;
};
const sources = `${repository.url.replace(/\.git$/, '')}/tree/main`;

const icon = readFileSync(`${docs}.vitepress/icon.svg`, 'utf8').trim();

export default defineConfig({
  title: 'Fieldwise',
  description,
  lang: 'en-US',
  base: process.env.SITE_BASE ?? '/',
  cleanUrls: false,
  lastUpdated: false,
  // Inline, so that the site has no file outside of the pages.
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(icon)}` }]],
  sitemap: { hostname: homepage },
  markdown: { anchor: { slugify: headingAnchor }, config: (md) => siteMarkdown(md, { docs, sources }) },
  // README of a folder is its first page.
  rewrites: { 'decisions/README.md': 'decisions/index.md' },
  themeConfig: {
    nav: navigation,
    sidebar,
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        // Decisions keep the words of their day, and would come before the pages for users.
        _render: (source, environment, md) => (environment.relativePath.startsWith('decisions/') ? '' : md.render(source, environment)),
      },
    },
    footer: { message: 'Apache-2.0' },
  },
});
