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

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect x="1" y="1" width="14" height="14" rx="3" fill="none" stroke="#2f6fde" stroke-width="2"/><path d="M4 8h8" stroke="#c2570c" stroke-width="2"/></svg>';

export default defineConfig({
  title: 'Fieldwise',
  description,
  lang: 'en-US',
  base: process.env.SITE_BASE ?? '/',
  cleanUrls: false,
  lastUpdated: false,
  // A square with a bar: one field of an object. Inline, so that no browser asks for a file.
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
