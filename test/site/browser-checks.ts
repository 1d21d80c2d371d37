import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';

/** What a check of the site in a browser needs. */
export interface BrowserStage {
  readonly browser: Browser;
  /** URL of the site, without a slash at its end. */
  readonly url: string;
  /** Directory for screenshots. */
  readonly pictures: string;
}

const desktop = { width: 1280, height: 900 };
const phone = { width: 375, height: 800 };

/** Names the errors of a page: failed requests, errors of scripts, a missing title, and content that is wider than a phone. */
export async function pageProblems({ browser, url }: BrowserStage, path: string): Promise<string[]> {
  const page = await browser.newPage({ viewport: phone });
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`${path}: ${error.message}`));
  page.on('console', (message) => message.type() === 'error' && problems.push(`${path}: ${message.text()}`));
  page.on('response', (response) => response.status() >= 400 && problems.push(`${path}: ${response.status()} for ${response.url()}`));
  await page.goto(`${url}/${path}`, { waitUntil: 'load' });
  await page.waitForSelector('h1');
  const excess = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  if (Number(excess) > 0) problems.push(`${path}: ${excess} pixels wider than a phone`);
  await page.close();
  return problems;
}

/** Finds a page by the search, by keyboard alone, and opens it. */
export async function searchProblems({ browser, url, pictures }: BrowserStage): Promise<string[]> {
  const page = await opened(browser, `${url}/index.html`);
  await page.keyboard.press('Control+k');
  await page.waitForSelector('.VPLocalSearchBox input');
  await page.keyboard.type('least privilege');
  await page.waitForSelector('.VPLocalSearchBox .result');
  await page.screenshot({ path: join(pictures, 'search.png') });
  const first = (await page.textContent('.VPLocalSearchBox .result')) ?? '';
  await page.keyboard.press('Enter');
  await page.waitForSelector('.VPLocalSearchBox', { state: 'detached' });
  // The page of the result takes the place of this one a moment later.
  await page.waitForSelector('h1:has-text("least privilege")', { timeout: 5_000 }).catch(() => undefined);
  const heading = (await page.textContent('h1')) ?? '';
  await page.close();
  return /least privilege/i.test(first) && /least privilege/i.test(heading) ? [] : [`search: found "${first}", opened "${heading}"`];
}

/** Switches between the tabs of a group of code blocks; a block outside of a group shows its file name. */
export async function tabProblems({ browser, url }: BrowserStage): Promise<string[]> {
  const page = await opened(browser, `${url}/how-to/testing.html`);
  const shown = () => page.textContent('.vp-code-group .blocks > .active');
  const before = await shown();
  await page.click('.vp-code-group .tabs label:nth-of-type(2)');
  const after = await shown();
  const names = await page.locator('.file-name').allTextContents();
  await page.close();
  const switched = before?.includes('fieldwise/testing/vitest') && after?.includes('node:test');
  return [
    ...(switched ? [] : ['tabs: the second tab does not show its block']),
    ...(names.includes('shop.ts') ? [] : ['tabs: the block before them does not show its name, shop.ts']),
  ];
}

/** Switches to dark and checks that text, code and pictures follow; saves screenshots of light, dark and a phone. */
export async function themeProblems({ browser, url, pictures }: BrowserStage): Promise<string[]> {
  const problems: string[] = [];
  for (const path of ['index', 'getting-started', 'concepts/ownership', 'concepts/takeover', 'compared', 'reference/cli', 'tutorial']) {
    const page = await opened(browser, `${url}/${path}.html`);
    const name = path.replaceAll('/', '-');
    await page.screenshot({ path: join(pictures, `${name}-light.png`) });
    const light = await colors(page);
    await page.click('.VPSwitchAppearance >> visible=true');
    await page.waitForSelector('html.dark');
    await page.screenshot({ path: join(pictures, `${name}-dark.png`) });
    const dark = await colors(page);
    for (const part of Object.keys(light))
      if (light[part] === dark[part]) problems.push(`${path}: ${part} has one color in light and dark`);
    await page.close();
    const small = await opened(browser, `${url}/${path}.html`, phone);
    await small.screenshot({ path: join(pictures, `${name}-phone.png`) });
    await small.close();
  }
  return problems;
}

async function colors(page: Page): Promise<Record<string, string>> {
  const parts = { text: 'h1', picture: '.picture text', background: 'body' };
  const found: Record<string, string> = {};
  for (const [part, selector] of Object.entries(parts)) {
    const element = await page.$(selector);
    if (!element) continue;
    const property = part === 'picture' ? 'fill' : part === 'background' ? 'background-color' : 'color';
    found[part] = await element.evaluate(
      (node, name) => (globalThis as unknown as Styles).getComputedStyle(node).getPropertyValue(name),
      property,
    );
  }
  return found;
}

/** What a page in the browser has. */
interface Styles {
  getComputedStyle(node: unknown): { getPropertyValue(name: string): string };
}

async function opened(browser: Browser, url: string, viewport = desktop): Promise<Page> {
  const page = await browser.newPage({ viewport, colorScheme: 'light' });
  await page.goto(url, { waitUntil: 'networkidle' });
  return page;
}
