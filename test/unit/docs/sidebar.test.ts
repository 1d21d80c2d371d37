import { expect, test } from 'vitest';
import { navigation, sidebar } from '../../../docs/.vitepress/sidebar.js';
import { allPages } from '../../site/pages.js';

interface Item {
  readonly link?: string;
  readonly items?: readonly Item[];
}

const linksOf = (items: readonly Item[]): string[] =>
  items.flatMap(({ link, items: below = [] }) => [...(link === undefined ? [] : [link]), ...linksOf(below)]);

const pageOf = (link: string) => {
  const path = link.replace(/#.*$/, '').slice(1);
  return path.endsWith('/') ? `${path}index.md` : `${path}.md`;
};

test('the sidebar has every page', () => {
  const linked = new Set(linksOf(sidebar).map(pageOf));
  const pages = allPages()
    .map(({ path }) => path.replace('decisions/README.md', 'decisions/index.md'))
    .filter((path) => !path.startsWith('../') && path !== 'index.md' && !/^decisions\/\d/.test(path));
  expect(pages.filter((path) => !linked.has(path))).toEqual([]);
});

test('every link of the bars has a page', () => {
  const pages = new Set(allPages().map(({ path }) => path.replace('decisions/README.md', 'decisions/index.md')));
  const links = linksOf([...sidebar, ...(navigation as readonly Item[])]).filter((link) => !link.startsWith('/api-reference/'));
  expect(links.filter((link) => !pages.has(pageOf(link)))).toEqual([]);
  expect(links.length).toBeGreaterThan(50);
});
