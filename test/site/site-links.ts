import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileOf } from './serve-site.js';

/** Returns the paths of all pages of the built site; `api-reference` is typedoc's. */
export function builtPages(site: string): string[] {
  return readdirSync(site, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.html') && path !== '404.html')
    .sort();
}

/** Names the links within the built site whose file or anchor does not exist. */
export function deadSiteLinks(site: string): string[] {
  const texts = new Map<string, string>();
  const textOf = (file: string) => {
    const text = texts.get(file) ?? readFileSync(file, 'utf8');
    texts.set(file, text);
    return text;
  };
  return builtPages(site).flatMap((page) =>
    internalLinks(textOf(join(site, page))).flatMap((link) => {
      const [path = '', anchor = ''] = link.split('#');
      const file = path === '' ? join(site, page) : fileOf(site, path.startsWith('/') ? path : join('/', dirname(page), path));
      if (file === undefined) return [`${page}: ${link} does not exist`];
      if (anchor === '' || !file.endsWith('.html') || hasAnchor(textOf(file), decodeURIComponent(anchor))) return [];
      return [`${page}: ${relative(site, file)} has no anchor ${anchor}`];
    }),
  );
}

function internalLinks(html: string): string[] {
  const found = [...html.matchAll(/<(?:a|link|script|img)\b[^>]*?\s(?:href|src)="([^"]*)"/g)].map(([, link = '']) =>
    link.replaceAll('&amp;', '&'),
  );
  return [...new Set(found)].filter((link) => link !== '' && !/^(?:[a-z]+:|\/\/)/i.test(link));
}

function hasAnchor(html: string, anchor: string): boolean {
  return html.includes(`id="${anchor.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`) || html.includes(`name="${anchor}"`);
}
