import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openPage } from './open-page.js';
import type { Stage } from './owners-checks.js';
import { sameChange } from './teams.js';

/** Shows old and new values side by side: a conflict with its owner, a long text as a diff, a release. */
export async function sideBySideProblems({ browser, directory }: Stage): Promise<string[]> {
  const { page, problems } = await openPage(browser, join(directory, 'diff.html'), {});
  const row = (field: string) => page.locator('tr.change', { has: page.getByRole('rowheader', { name: field, exact: true }) });
  const expectations: readonly (readonly [field: string, text: RegExp])[] = [
    ['.spec.replicas', /^force.*− 5\+ 2from kube-controller-manager/],
    ['.data.old', /^removed.*− released next time$/],
    ['.data.added', /^set.*\+ new$/],
    ['.data.start.sh', /^change.*@@ line \d+ → \d+ @@.* echo line 29-exec serve --port 80\+exec serve --port 8080$/],
  ];
  for (const [field, expected] of expectations) {
    const text =
      (await row(field)
        .first()
        .textContent({ timeout: 2_000 })
        .catch(() => null)) ?? 'absent';
    if (!expected.test(text)) problems.push(`${field}: ${text}`);
  }
  await page.getByText('Filters', { exact: true }).click();
  await page.getByLabel('force').check();
  await page
    .getByRole('status')
    .filter({ hasText: /^1 of 2 objects/ })
    .waitFor();
  await page.close();
  return problems;
}

/** The longest page of the teams, by the number of its objects. */
const maxBytes = 300_000;

/** Begins with the verdict and the heaviest objects, by stack; 800 objects with the same change are one. */
export async function teamsProblems({ browser, directory, pictures }: Stage): Promise<string[]> {
  const file = join(directory, 'teams.html');
  const { page, problems } = await openPage(browser, file, { viewport: { width: 1280, height: 900 } });
  await page.screenshot({ path: join(pictures, 'diff-page.png') });
  const bytes = statSync(file).size;
  process.stdout.write(`  teams.html: ${bytes} bytes\n`);
  if (bytes > maxBytes) problems.push(`${bytes} bytes`);
  const [verdict = ''] = readFileSync(join(directory, 'teams.md'), 'utf8').split('\n');
  const shown = await page.locator('.headline').textContent();
  if (`**${shown}**` !== verdict) problems.push(`the verdict is ${shown}, in Markdown ${verdict}`);
  const heads = await page.locator('.stack h2').allTextContents();
  if (heads.join() !== `Stack shop 4 objects,Stack platform 2 objects,Stack tenants ${sameChange} objects`)
    problems.push(`stacks: ${heads}`);
  const names = await page.locator('h3:visible').allTextContents();
  const expected = [
    'blocked ConfigMap pages/limits',
    'update Deployment pages/api',
    'update ConfigMap pages/start',
    'update Deployment pages/worker',
  ];
  if (names.slice(0, 4).join() !== expected.join()) problems.push(`objects: ${names.slice(0, 4)}`);
  if (names.at(-1) !== `update ${sameChange} objects of kind ConfigMap`) problems.push(`the last one: ${names.at(-1)}`);
  const statusIs = (text: RegExp) => page.getByRole('status').filter({ hasText: text }).waitFor();
  // A choice that names what does not change shows it.
  await page.getByLabel('1 unchanged object').check();
  await statusIs(/^1 of 807/);
  if (!page.url().endsWith('#class=unchanged')) problems.push(`address: ${page.url()}`);
  await page.getByRole('button', { name: 'Clear choices' }).click();
  await page.getByText('Filters', { exact: true }).click();
  await page.getByLabel('same', { exact: true }).check();
  await statusIs(new RegExp(`^${sameChange + 4} of 807`)); // others have such fields, too
  const apart = await page.locator('section.object:not([hidden])').count();
  if (apart < sameChange) problems.push(`${apart} objects with fields that do not change`);
  await page.close();
  const link = '#object=tenants:ConfigMap/pages/tenant-500';
  const linked = await openPage(browser, file, {}, link);
  const focused = await linked.page.evaluate<string>('document.activeElement.textContent');
  if (focused !== `update ${sameChange} objects of kind ConfigMap`) problems.push(`a link leads to ${focused}`);
  problems.push(...linked.problems);
  await linked.page.close();
  return problems;
}
