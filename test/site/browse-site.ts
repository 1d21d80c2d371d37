import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { root } from '../checks/command.js';
import { findOnPath } from '../harness/binaries.js';
import { type BrowserStage, pageProblems, searchProblems, tabProblems, themeProblems } from './browser-checks.js';
import { serveSite } from './serve-site.js';
import { builtPages, deadSiteLinks } from './site-links.js';

/** `npm run campaign -- docs:browser`: checks the links of the built site, and the site in Chromium if there is one. */
const site = join(root, 'docs/.vitepress/dist');
const pictures = join(root, 'docs/.vitepress/cache/screenshots');
let passed = 0;
let failed = 0;

report('links of the site', deadSiteLinks(site));
const executable =
  process.env.CHROMIUM || ['chromium', 'chromium-browser', 'google-chrome'].map((name) => findOnPath(name, process.env)).find(Boolean);
if (executable === undefined) process.stdout.write('skipped in a browser: Chromium is not on PATH, and CHROMIUM names none\n');
else await browse(executable);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 ? 1 : 0;

async function browse(executablePath: string): Promise<void> {
  rmSync(pictures, { recursive: true, force: true });
  mkdirSync(pictures, { recursive: true });
  const server = await serveSite(site);
  const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
  try {
    await check({ browser, url: server.url, pictures });
  } finally {
    await browser.close();
    server.stop();
  }
  process.stdout.write(`screenshots: ${pictures}\n`);
}

async function check(stage: BrowserStage & { readonly browser: Browser }): Promise<void> {
  // Of the decisions and of typedoc, a few pages stand for all: their links are checked above.
  const pages = builtPages(site).filter((path) => !/^(?:api-reference|decisions)\/(?!index|01)/.test(path));
  for (const path of pages) report(`page ${path}`, await pageProblems(stage, path));
  report('search', await searchProblems(stage));
  report('tabs', await tabProblems(stage));
  report('light, dark and phone', await themeProblems(stage));
}

function report(name: string, problems: readonly string[]): void {
  if (problems.length === 0) passed += 1;
  else failed += 1;
  process.stdout.write(`${problems.length === 0 ? 'ok    ' : 'FAILED'} ${name}\n${problems.map((problem) => `  ${problem}\n`).join('')}`);
}
