import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, runTool } from './command.js';

/**
 * Runs projenrc.ts in a copy of the files it manages and compares. In a copy, because projen writes where it runs: the
 * checkout stays as it was, drift or not.
 */
export async function projenDrift(): Promise<string[]> {
  const managed: string[] = JSON.parse(readFileSync(join(root, '.projen/files.json'), 'utf8')).files;
  const copy = mkdtempSync(join(tmpdir(), 'fieldwise-projen-'));
  try {
    const inputs = ['projenrc.ts', 'package.json', 'package-lock.json', 'src', '.projen', ...managed].filter((path) =>
      existsSync(join(root, path)),
    );
    for (const path of new Set(inputs)) cpSync(join(root, path), join(copy, path), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    const { code, output } = await runTool('tsx', ['projenrc.ts'], copy, { ...process.env, PROJEN_DISABLE_POST: 'true', CI: 'true' });
    if (code !== 0) return [`projenrc.ts failed:\n${output}`];
    const listed: string[] = JSON.parse(readFileSync(join(copy, '.projen/files.json'), 'utf8')).files;
    return [...new Set([...managed, ...listed, '.projen/files.json', 'package.json'])]
      .filter((path) => content(join(root, path)) !== content(join(copy, path)))
      .map((path) => `${path} is not what projenrc.ts writes; run npm run projen and commit`);
  } finally {
    rmSync(copy, { recursive: true });
  }
}

function content(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
