import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const docs = fileURLToPath(new URL('../../docs', import.meta.url));

/** A page of the site by its path below docs. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

/** Returns all pages, README.md and AGENTS.md of the package first. */
export function allPages(): Page[] {
  const below = readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && !path.startsWith('.vitepress'))
    .sort();
  return ['../README.md', '../AGENTS.md', ...below].map((path) => ({ path, text: readFileSync(join(docs, path), 'utf8') }));
}

/**
 * Pages whose commands and programs stand for themselves, in no order in which a reader would run them. Their blocks are parsed, and the
 * marked ones run in tests of their own.
 */
const references = [
  /^\.\.\/README\.md$/,
  /^decisions\//,
  /^reference\//,
  /^(?:adopt|api|codegen|coexistence|controller|deploy|diff|embedded|errors|glossary|guard|list-types|owners|rbac|ssa|strategies|testing|traps|builders|documents|environments)\.md$/,
];

/** Returns true for a page that tests run from the first block to the last. */
export function isRun({ path }: Page): boolean {
  return !references.some((pattern) => pattern.test(path));
}
