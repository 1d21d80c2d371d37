import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { pageBlocks } from '../../site/page-blocks.js';
import { allPages, isRun } from '../../site/pages.js';

const checkout = fileURLToPath(new URL('../../..', import.meta.url));

/** The options of the tsconfig.json that `fieldwise init` writes. */
const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: ['node'],
};

// A run does not check types. Programs with generated builders are left out: the builders are there only while their page runs.
test('the programs of all pages have no type errors', { timeout: 180_000 }, () => {
  const directory = mkdtempSync(join(tmpdir(), 'fieldwise-page-types-'));
  try {
    mkdirSync(join(directory, 'node_modules'));
    for (const name of ['cdk8s', 'cdk8s-plus-33', 'constructs', 'vitest', '@types'])
      link(join(checkout, 'node_modules', name), name, directory);
    link(checkout, 'fieldwise', directory);
    writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
    const files = writePrograms(directory);
    expect(files.length).toBeGreaterThan(40);
    const program = ts.createProgram(files, options);
    const errors = ts
      .getPreEmitDiagnostics(program)
      .map(
        ({ file, start, messageText }) =>
          `${file?.fileName.slice(directory.length)}:${file?.getLineAndCharacterOfPosition(start ?? 0).line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
      );
    expect(errors).toEqual([]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

/** Each block in a directory of its own, with the files that came before it on its page. */
function writePrograms(directory: string): string[] {
  return allPages()
    .filter(isRun)
    .flatMap(({ path, text }) => {
      const blocks = pageBlocks(text).filter(({ file, text: program }) => file?.endsWith('.ts') && !program.includes('/imports/'));
      return blocks.map(({ line, file }) => {
        const below = join(directory, path.replace('../', '').replace('.md', ''), String(line));
        for (const one of blocks.filter((other) => other.line <= line)) {
          const target = join(below, one.file as string);
          mkdirSync(dirname(target), { recursive: true });
          writeFileSync(target, one.text);
        }
        return join(below, file as string);
      });
    });
}

function link(target: string, name: string, directory: string): void {
  symlinkSync(target, join(directory, 'node_modules', name));
}
