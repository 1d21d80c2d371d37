import { join } from 'node:path';
import { openPage } from './open-page.js';
import { ofPictures, type Stage } from './owners-checks.js';

/** Shows old and new values side by side: a conflict with its owner, a long text line by line, a release. */
export async function sideBySideProblems({ browser, directory, pictures }: Stage): Promise<string[]> {
  const { page, problems } = await openPage(browser, join(directory, 'diff.html'), { viewport: ofPictures });
  await page.screenshot({ path: join(pictures, 'diff-page.png'), fullPage: true });
  const row = (field: string) => page.locator('tr.change', { has: page.getByRole('rowheader', { name: field, exact: true }) });
  const expectations: readonly (readonly [field: string, text: RegExp])[] = [
    ['.spec.replicas', /^force.*− 5\+ 2kube-controller-manager/],
    ['.data.old', /^removed.*− released next time$/],
    ['.data.added', /^set.*\+ new$/],
    ['.data.start.sh', /^change.*… \d+ equal lines/],
  ];
  for (const [field, expected] of expectations) {
    const text =
      (await row(field)
        .first()
        .textContent({ timeout: 2_000 })
        .catch(() => null)) ?? 'absent';
    if (!expected.test(text)) problems.push(`${field}: ${text}`);
  }
  const lines = await page.locator('td.old').filter({ hasText: 'exec serve --port 80' }).count();
  if (lines !== 1) problems.push(`${lines} rows show the old line of the script`);
  await page.getByLabel('force').check();
  await page
    .getByRole('status')
    .filter({ hasText: /^1 of 2 objects/ })
    .waitFor();
  await page.close();
  return problems;
}
