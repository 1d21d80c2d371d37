import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { openPage } from './open-page.js';
import type { Stage } from './owners-checks.js';

const phone = { width: 390, height: 844 };

/** Filters 1,000 stacks, keeps the choices in the address, and opens the folded ones. */
export async function stacksProblems({ browser, directory, pictures }: Stage): Promise<string[]> {
  const file = join(directory, 'stacks-many.html');
  const { page, problems } = await openPage(browser, file, { viewport: phone });
  const headline = await page.locator('.headline').textContent();
  if (headline !== '1000 stacks: 1000 ready') problems.push(`headline: ${headline}`);
  if (await rows(page).first().isVisible()) problems.push('1,000 ready stacks are not folded');
  await page.getByText('Filters', { exact: true }).click();
  await page.getByLabel('europe').check();
  await page.getByLabel('Find stacks').fill('stack-24');
  await statusIs(page, /^11 of 1000 stacks/);
  if (!page.url().endsWith('#text=stack-24&instance=europe')) problems.push(`address: ${page.url()}`);
  if ((await rows(page).filter({ visible: true }).count()) !== 11) problems.push('the stacks that are found are not shown');
  await page.screenshot({ path: join(pictures, 'stacks-many-phone.png') });
  const other = await openPage(browser, file, {}, '#text=stack-24&instance=europe');
  await statusIs(other.page, /^11 of 1000 stacks/);
  await other.page.getByRole('button', { name: 'Clear choices' }).click();
  await statusIs(other.page, /^1000 of 1000/);
  if (await rows(other.page).first().isVisible()) problems.push('cleared choices leave 1,000 stacks open');
  problems.push(...other.problems);
  await other.page.close();
  const bookmark = await openPage(browser, file, {}, '#state=not-ready&app=gone');
  await statusIs(bookmark.page, /^Nothing matches/);
  if (!(await bookmark.page.getByLabel('0 not ready').isChecked())) problems.push('a bookmark loses a state that no stack has');
  problems.push(...bookmark.problems);
  await bookmark.page.close();
  await page.close();
  return problems;
}

/** Shows the same stacks without scripts. */
export async function scriptlessProblems({ browser, directory, pictures }: Stage): Promise<string[]> {
  const page = await browser.newPage({ javaScriptEnabled: false, viewport: phone });
  await page.goto(pathToFileURL(join(directory, 'stacks.html')).href);
  await page.screenshot({ path: join(pictures, 'stacks-without-scripts.png') });
  const problems: string[] = [];
  const [first = ''] = await rows(page).allTextContents();
  if (!/^documents\/default\/jobs20\S+Zsucceeded.*8 ownedJob pages\/job-0: failed: /.test(first))
    problems.push(`the first stack: ${first}`);
  const shown = await rows(page).filter({ visible: true }).count();
  if (shown !== 5) problems.push(`${shown} stacks are shown`);
  if ((await page.locator('form').count()) > 0) problems.push('a form without a script');
  await page.close();
  return problems;
}

const rows = (page: Page) => page.locator('tbody');

async function statusIs(page: Page, text: RegExp): Promise<void> {
  await page.getByRole('status').filter({ hasText: text }).waitFor();
}
