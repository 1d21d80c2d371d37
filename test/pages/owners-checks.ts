import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { accessibilityProblems, type OpenOptions, openPage } from './open-page.js';
import { fieldsOfLong, hostileTexts } from './scene.js';

/** The pages of the scene, and the directory for screenshots. */
export interface Stage {
  readonly browser: Browser;
  readonly directory: string;
  readonly pictures: string;
}

/** The window of the pictures in docs. */
export const ofPictures = { width: 1000, height: 900 };

const maxBytes = 3_000_000;
const idOfWeb = 'apps/Deployment/pages/web';
const maxMilliseconds = 1_000;
/** Machines of CI run other work beside this. */
const tries = 5;

/** Opens 1,000 objects, or other things that a selector finds, within a second. */
export async function manyProblems({ browser, directory }: Stage, name: string, selector = 'section.object'): Promise<string[]> {
  const file = join(directory, name);
  const bytes = statSync(file).size;
  let best = Number.POSITIVE_INFINITY;
  for (let index = 0; index < tries && best > maxMilliseconds; index += 1) {
    const { page, took } = await openPage(browser, file);
    best = Math.min(best, took);
    await page.close();
  }
  const { page, problems } = await openPage(browser, file);
  const facts = `${bytes} bytes, opened in ${Math.round(best)} ms`;
  process.stdout.write(`  ${name}: ${facts}\n`);
  if (bytes > maxBytes) problems.push(`more than 3 MB: ${facts}`);
  if (best > maxMilliseconds) problems.push(`more than a second: ${facts}`);
  const count = await page.locator(selector).count();
  if (count !== 1_000) problems.push(`${count} of ${selector} instead of 1,000`);
  await page.close();
  return problems;
}

/** Finds objects of 1,000 by a value and by their owner. */
export async function filterProblems({ browser, directory }: Stage): Promise<string[]> {
  const { page, problems } = await openPage(browser, join(directory, 'many.html'));
  await page.getByLabel('Find objects').fill('value 7 of object-0500');
  await statusIs(page, /^1 of 1000/);
  await page.getByLabel('Find objects').fill('');
  await page.getByText('Filters', { exact: true }).click();
  await page.getByLabel('stack shop/default/stack-7', { exact: false }).check();
  await statusIs(page, /^50 of 1000/);
  await page.close();
  return problems;
}

/** Shows an object of thousands of fields in parts. */
export async function longProblems({ browser, directory }: Stage): Promise<string[]> {
  const { page, problems } = await openPage(browser, join(directory, 'long.html'));
  const rows = () => page.locator('tbody tr').count();
  const first = await rows();
  if (first > 5_000) problems.push(`${first} rows at once`);
  const more = page.getByRole('button', { name: 'Show more fields' });
  while ((await more.count()) > 0) await more.click();
  if ((await rows()) !== fieldsOfLong + 1) problems.push(`${await rows()} rows instead of ${fieldsOfLong} and their container`);
  await page.close();
  return problems;
}

/** Opens an object, lets a stack go and filters, by keyboard alone. */
export async function keyboardProblems({ browser, directory, pictures }: Stage): Promise<string[]> {
  const { page, problems } = await openPage(browser, join(directory, 'web.html'), { viewport: ofPictures });
  const focused = () => page.evaluate<string>('document.activeElement.id || document.activeElement.textContent');
  const reach = async (id: string) => {
    for (let index = 0; index < 40; index += 1) {
      await page.keyboard.press('Tab');
      if ((await focused()) === id) return;
    }
    problems.push(`Tab does not reach ${id}`);
  };
  await page.keyboard.press('Tab');
  if (!(await focused()).startsWith('Skip')) problems.push('the first Tab does not reach the link to the content');
  await reach('release');
  await page.keyboard.type('stack shop/default/metrics');
  await statusIs(page, /lets go/);
  const rows = await page.locator('tr.removed').count();
  if (rows === 0) problems.push('the release of metrics removes nothing');
  const kept = await page.locator('tr.kept').first().textContent();
  if (!kept?.includes('stays with stack shop/default/web')) problems.push(`kept: ${kept}`);
  await page.screenshot({ path: join(pictures, 'owners-page.png'), fullPage: true });
  await reach(idOfWeb);
  const body = page.locator('section.object .body');
  await page.keyboard.press('Enter');
  if (await body.isVisible()) problems.push('Enter does not close the object');
  await page.keyboard.press('Space');
  if (!(await body.isVisible())) problems.push('Space does not open the object');
  await page.close();
  return problems;
}

/** Opens the page with hostile texts, every object open: all of them are text. */
export async function hostileProblems({ browser, directory, pictures }: Stage, file = 'hostile.html'): Promise<string[]> {
  const { page, problems } = await openPage(browser, join(directory, file));
  await page.getByRole('button', { name: 'Open all' }).click();
  await page.screenshot({ path: join(pictures, file.replace('.html', '.png')), fullPage: false });
  for (const more of await page.locator('button.more').all()) await more.click();
  if (await page.evaluate('"attacked" in window')) problems.push('a script of the cluster ran');
  for (const selector of ['img', 'svg', 'iframe', 'a:not(.skip)', 'main script', 'b']) {
    const found = await page.locator(`body ${selector}`).count();
    if (found > 0) problems.push(`${found} elements ${selector} came from a text`);
  }
  const shown = (await page.locator('main').textContent()) ?? '';
  if (shown.includes('\u202e') || shown.includes('\u0007')) problems.push('a character that changes the text is shown as it is');
  for (const text of hostileTexts) {
    const bell = text.replace('\u202e', '<U+202E>');
    // In quotes, YAML has an escape.
    const forms = [bell.replace('\u0007', '<U+0007>'), JSON.stringify(bell).slice(1, -1)];
    if (!forms.some((form) => shown.includes(form))) problems.push(`not shown: ${text}`);
  }
  // The policy refuses a script even where markup gets into the document.
  await page.evaluate('document.body.insertAdjacentHTML("beforeend", "<img src=x: onerror=\\"window.attacked = 1\\">")');
  await page.evaluate('new Promise((done) => setTimeout(done, 100))');
  if (await page.evaluate('"attacked" in window')) problems.push('the policy of the page lets a handler run');
  await page.close();
  return problems.filter((problem) => !/^console: .*Content Security Policy|^request: x:/.test(problem));
}

/** Runs axe-core in light and dark and at the width of a phone, closed and open. */
export async function accessibleProblems({ browser, directory, pictures }: Stage, file: string): Promise<string[]> {
  const views: Readonly<Record<string, OpenOptions>> = {
    light: {},
    dark: { colorScheme: 'dark' },
    phone: { viewport: { width: 375, height: 800 } },
  };
  const found: string[] = [];
  for (const [name, options] of Object.entries(views)) {
    const { page, problems } = await openPage(browser, join(directory, file), options);
    await page.screenshot({ path: join(pictures, `${file.replace('.html', '')}-${name}.png`) });
    const excess = await excessWidth(page);
    if (excess > 0) problems.push(`${excess} pixels wider than the window`);
    if (name === 'phone') problems.push(...(await hiddenProblems(page)));
    problems.push(...(await accessibilityProblems(page)));
    found.push(...problems.map((problem) => `${name}: ${problem}`));
    await page.close();
  }
  return found;
}

/** Waits until the page says so. */
async function statusIs(page: Page, text: RegExp): Promise<void> {
  await page.getByRole('status').filter({ hasText: text }).waitFor();
}

/** Names tables whose end is beyond the edge of a small window. */
async function hiddenProblems(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(
    '[...document.querySelectorAll(".scroll")].filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.ariaLabel + " is cut off")',
  );
}

/** Keeps the choices and the open object in the address: a second window shows the same. */
export async function addressProblems({ browser, directory }: Stage): Promise<string[]> {
  const { page, problems } = await openPage(browser, join(directory, 'many.html'));
  await page.getByText('Filters', { exact: true }).click();
  await page.getByLabel('Find objects').fill('object-0500');
  await page.getByLabel('Only fields with several owners').check();
  await page.getByLabel('Suppose').selectOption({ label: 'stack shop/default/stack-0 lets go of its fields' });
  await statusIs(page, /^Nothing matches/);
  await page.getByLabel('Only fields with several owners').uncheck();
  await statusIs(page, /^1 of 1000/);
  await page.getByRole('button', { name: 'object-0500' }).click();
  const address = page.url();
  const expected = '#text=object-0500&without=stack+shop/default/stack-0&object=ConfigMap/pages/object-0500';
  if (!address.endsWith(expected)) problems.push(`address: ${address}`);
  const other = await openPage(browser, join(directory, 'many.html'), {}, address.slice(address.indexOf('#')));
  await statusIs(other.page, /^1 of 1000.*lets go/);
  if (!(await other.page.locator('section.object:visible .body').isVisible())) problems.push('a link does not open its object');
  await other.page.getByRole('button', { name: 'Clear choices' }).click();
  await statusIs(other.page, /^1000 of 1000/);
  problems.push(...other.problems);
  await other.page.close();
  await page.close();
  return problems;
}

async function excessWidth(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** Prints the page: the fields are there, and the form is not. */
export async function printProblems({ browser, directory }: Stage, file: string): Promise<string[]> {
  const { page, problems } = await openPage(browser, join(directory, file));
  await page.emulateMedia({ media: 'print' });
  if (await page.locator('form').isVisible()) problems.push('the form is printed');
  if (!(await page.locator('table').first().isVisible())) problems.push('the fields are not printed');
  await page.close();
  return problems;
}
