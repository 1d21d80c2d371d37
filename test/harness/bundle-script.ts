import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'rolldown';

/** Writes a script as one file of JavaScript: a process that compiles what it imports takes seconds to begin. @returns its path. */
export async function bundleScript(script: URL, directory: string, plugins: readonly Plugin[] = []): Promise<string> {
  const input = fileURLToPath(script);
  const outfile = join(directory, basename(input).replace(/\.ts$/, '.mjs'));
  await build({
    input,
    plugins: [...plugins],
    platform: 'node',
    output: { file: outfile, format: 'es', codeSplitting: false },
    logLevel: 'warn',
  });
  return outfile;
}
