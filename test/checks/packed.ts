import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, run, runTool } from './command.js';

export interface Packed {
  readonly files: readonly string[];
  readonly tarball: string;
}

/** Packs the package into a temporary directory as `npm publish` would, and removes it after `use`. */
export async function withPacked(use: (packed: Packed) => Promise<string[]> | string[]): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'fieldwise-pack-'));
  try {
    const words = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', directory];
    const { code, output } = await run('npm', words, root);
    const start = output.search(/^\[/m);
    if (code !== 0 || start < 0) return [`npm pack exited with ${code}: ${output}`];
    const [{ filename, files }] = JSON.parse(output.slice(start)) as [{ filename: string; files: { path: string }[] }];
    return await use({ files: files.map(({ path }) => path), tarball: join(directory, filename) });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** What only ES modules import (docs/decisions/82). */
const esModules = ['./codegen', './testing/vitest'];

/** Names errors in the packed package: its files, and the findings of publint and attw in its exports and types. */
export async function packageProblems(): Promise<string[]> {
  return withPacked(async ({ files, tarball }) => {
    if (!files.includes('lib/src/cli/main.cjs')) return ['lib/src/cli/main.cjs is not in the package; run npm run build first'];
    const typesWrong = (...words: string[]) => runTool('attw', [tarball, '--format', 'ascii', '--no-emoji', ...words]);
    const findings = await Promise.all([
      runTool('publint', ['run', tarball, '--strict']),
      // Of `./k8s/*`, one module stands for all.
      typesWrong('--exclude-entrypoints', ...esModules, '--include-entrypoints', './k8s/apps/v1'),
      typesWrong('--profile', 'esm-only', '--entrypoints', ...esModules),
    ]);
    return [
      ...refusedFiles(files, (path) => readFileSync(join(root, path), 'utf8')),
      ...findings.flatMap(({ code, output }) => (code === 0 ? [] : [output])),
    ];
  });
}

/** The package holds no sources, so it holds no source maps and no build info either (docs/decisions/43). */
export function refusedFiles(files: readonly string[], read: (path: string) => string): string[] {
  return files.flatMap((path) => {
    if (/\.(map|tsbuildinfo)$/.test(path)) return [`${path}: the package holds no source maps and no build info`];
    if (/^lib\/.*\.[cm]?js$/.test(path) && /^\/\/# sourceMappingURL=/m.test(read(path))) return [`${path}: names a source map`];
    return [];
  });
}
