import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, run } from './command.js';

/** Imports the CRDs of the examples again into another directory, and compares the result with the committed files. */
export async function examplesDrift(): Promise<string[]> {
  const names = readdirSync(join(root, 'examples')).filter((name) => existsSync(join(root, 'examples', name, 'crd.yaml')));
  return (await Promise.all(names.map(driftOf))).flat();
}

async function driftOf(name: string): Promise<string[]> {
  const example = join(root, 'examples', name);
  const output = mkdtempSync(join(tmpdir(), 'fieldwise-imports-'));
  try {
    const command = [join(root, 'lib/src/cli/main.cjs'), 'import', 'crd.yaml', '--outdir', output];
    const { code, output: said } = await run(process.execPath, command, example);
    if (code !== 0) return [`examples/${name}: import failed:\n${said}`];
    const [fresh, committed] = [filesOf(output), filesOf(join(example, 'imports'))];
    return [...new Set([...fresh.keys(), ...committed.keys()])]
      .filter((path) => fresh.get(path) !== committed.get(path))
      .map((path) => `examples/${name}/imports/${path} is not what the import writes; run fieldwise import crd.yaml there and commit`);
  } finally {
    rmSync(output, { recursive: true });
  }
}

function filesOf(directory: string): Map<string, string> {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((path) => /\.(ts|json)$/.test(path));
  return new Map(paths.map((path) => [path, withoutGenerator(readFileSync(join(directory, path), 'utf8'))]));
}

/** The lock file names the build of the generator, which changes more often than what it writes. */
function withoutGenerator(text: string): string {
  return text.replace(/^( *"from": ")sha256:[0-9a-f]{64}"/gm, '$1"');
}
