import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serveSite } from '../../site/serve-site.js';
import { deadSiteLinks } from '../../site/site-links.js';

async function withSite(files: Readonly<Record<string, string>>, use: (site: string) => Promise<void> | void): Promise<void> {
  const site = mkdtempSync(join(tmpdir(), 'fieldwise-site-'));
  try {
    mkdirSync(join(site, 'below'));
    for (const [path, text] of Object.entries(files)) writeFileSync(join(site, path), text);
    await use(site);
  } finally {
    rmSync(site, { recursive: true });
  }
}

const page = (links: string) => `<h1 id="top">Title</h1>${links}`;

test('names links to files and anchors that do not exist', () =>
  withSite(
    {
      'index.html': page(
        '<a href="/below/other.html#top">a</a><a href="./missing.html">b</a><a href="#nowhere">c</a><a href="https://x.example.com">d</a>',
      ),
      'below/other.html': page('<a href="../index.html#top">a</a><a class="x" href="/index.html#gone">b</a><img src="/no.svg">'),
    },
    (site) =>
      expect(deadSiteLinks(site)).toEqual([
        'below/other.html: index.html has no anchor gone',
        'below/other.html: /no.svg does not exist',
        'index.html: ./missing.html does not exist',
        'index.html: index.html has no anchor nowhere',
      ]),
  ));

test('serves files of the site, and nothing outside of it', () =>
  withSite({ 'index.html': 'home', 'below/index.html': 'below' }, async (site) => {
    const server = await serveSite(join(site, 'below'));
    try {
      expect(await (await fetch(`${server.url}/`)).text()).toBe('below');
      expect(await (await fetch(`${server.url}/..%2findex.html`)).text()).toBe('below');
      expect((await fetch(`${server.url}/..%2fbelow%2findex.html`)).status).toBe(404);
    } finally {
      server.stop();
    }
  }));
