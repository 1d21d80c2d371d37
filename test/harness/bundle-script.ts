import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

/** Writes a script as one file of JavaScript: a process that compiles what it imports takes seconds to begin. @returns its path. */
export async function bundleScript(script: URL, directory: string): Promise<string> {
  const input = fileURLToPath(script);
  const outfile = join(directory, basename(input).replace(/\.ts$/, '.mjs'));
  await build({ input, platform: 'node', output: { file: outfile, format: 'es', codeSplitting: false }, logLevel: 'warn' });
  return outfile;
}
