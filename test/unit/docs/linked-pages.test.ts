import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Pages that a reader reaches by the list of their folder. */
const listed = /^docs\/decisions\//;

test('every page of docs is linked from the README or from another page', () => {
  const pages = globSync('docs/**/*.md', { cwd: root, exclude: (name) => name.startsWith('.') }).map((page) => page.split(path.sep).join('/'));
  const linked = new Set(
    ['README.md', ...pages].flatMap((page) =>
      [...readFileSync(path.join(root, page), 'utf8').matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].flatMap(([, target = '']) => {
        const found = path.posix.join(path.posix.dirname(page), target);
        return found === page ? [] : [found];
      }),
    ),
  );
  expect(pages.length).toBeGreaterThan(50);
  expect(pages.filter((page) => !listed.test(page) && !linked.has(page))).toEqual(['docs/index.md']); // The home of the site.
});

test('the reasons of readiness are in the table of docs/deploy.md', () => {
  const text = readFileSync(path.join(root, 'docs/deploy.md'), 'utf8');
  const sources = globSync('src/engine/readiness/*.ts', { cwd: root }).map((file) => readFileSync(path.join(root, file), 'utf8'));
  const reasons = sources.flatMap((source) => [
    ...[...source.matchAll(/\b(?:inProgress|failed)\(\s*'(\w+)'/g)].map(([, reason]) => reason),
    ...[...source.matchAll(/\b(?:inProgress|failed)\([^')]*\|\| '(\w+)'/g)].map(([, reason]) => reason),
  ]);
  expect(reasons).toContain('RollingOut');
  expect([...new Set(reasons)].filter((reason) => !text.includes(`\`${reason}\``))).toEqual([]);
});
