import { join } from 'node:path';
import { cacheDirectory, isExecutable } from '../harness/binaries.js';
import { runTool } from './command.js';

/** Compares `generated/` with the output for the tests' API server; before that server is built, compares digests. */
export async function generatedDrift(): Promise<string[]> {
  const built = isExecutable(join(cacheDirectory(process.env), 'apiserver'));
  const { code, output } = await runTool('tsx', ['codegen/generate.ts', '--check', ...(built ? ['--server'] : [])]);
  return code === 0 ? [] : [output || `generate --check exited with ${code}`];
}
