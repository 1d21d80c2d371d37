import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { root } from './command.js';
import { withPacked } from './packed.js';

/** Directories and files that a build, a package manager or git puts into a checkout. */
const notInRepository = new Set(['.git', 'lib', 'node_modules', 'dist', '.fieldwise']);

/** Names the relative links of the repository's Markdown files without a target in it. */
export function deadLinksOfRepository(): string[] {
  const files = filesBelow(root).map((path) => relative(root, path).replaceAll('\\', '/'));
  return deadLinksIn(files, (path) => readFileSync(join(root, path), 'utf8'));
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter(({ name }) => !notInRepository.has(name))
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(join(directory, entry.name)) : [join(directory, entry.name)]));
}

/**
 * Names the relative links of the packed Markdown files without a target in the package, be it a file, a directory or a heading: a reader
 * has either the repository or the package, and both must contain the targets.
 */
export function deadLinks(): Promise<string[]> {
  return withPacked(({ files }) => deadLinksIn(files, (path) => readFileSync(join(root, path), 'utf8')));
}

/** Names the dead links of files, whose texts `read` returns. */
export function deadLinksIn(packed: readonly string[], read: (path: string) => string): string[] {
  const there = new Set(packed.flatMap((path) => [path, ...directoriesOf(path)]));
  return packed
    .filter((path) => path.endsWith('.md'))
    .flatMap((path) =>
      linksIn(read(path)).flatMap((link) => {
        const [target = '', anchor] = link.split('#');
        const file = target === '' ? path : posix.join(posix.dirname(path), decodeURI(target)).replace(/\/$/, '');
        if (!there.has(file)) return [`${path}: ${link} is not in the package`];
        if (anchor === undefined || !file.endsWith('.md') || anchorsIn(read(file)).has(anchor)) return [];
        return [`${path}: ${link} names no heading`];
      }),
    );
}

function directoriesOf(path: string): string[] {
  const directory = posix.dirname(path);
  return directory === '.' ? [] : [directory, ...directoriesOf(directory)];
}

/** Returns the targets of links and pictures, except those with a scheme. */
function linksIn(text: string): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^()\s]+)\)/g)].map((match) => match[1] as string).filter((link) => !/^[a-z]+:/i.test(link));
}

/** Returns the anchors that GitHub makes of headings. */
function anchorsIn(text: string): Set<string> {
  const headings = text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#{1,6} (.*)$/gm);
  return new Set(
    [...headings].map((match) =>
      (match[1] as string)
        .trim()
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
