import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Pages that a reader reaches by the list of their folder. */
const listed = /^docs\/decisions\//;

test('every page of docs is linked from the README or from another page', () => {
  const names = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => name.split(path.sep).join('/'));
  const pages = names.flatMap((name) => (/^[^.].*\.md$/.test(name) ? [`docs/${name}`] : []));
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
  const folder = path.join(root, 'src/engine/readiness');
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const sources = files.map((name) => readFileSync(path.join(folder, name), 'utf8'));
  const reasons = sources.flatMap((source) => [
    ...[...source.matchAll(/\b(?:inProgress|failed)\(\s*'(\w+)'/g)].map(([, reason]) => reason),
    ...[...source.matchAll(/\b(?:inProgress|failed)\([^')]*\|\| '(\w+)'/g)].map(([, reason]) => reason),
  ]);
  expect(reasons).toContain('RollingOut');
  expect([...new Set(reasons)].filter((reason) => !text.includes(`\`${reason}\``))).toEqual([]);
});
