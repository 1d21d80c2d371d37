import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BenchProject, timed } from '../bench-project.js';

const checkout = fileURLToPath(new URL('../../..', import.meta.url));
const limit = 300_000;

/** Returns the bytes on disk of node_modules after an installation of the packed package, and after one of cdk8s. */
export async function installSizes(project: BenchProject): Promise<{ readonly fieldwise: number; readonly cdk8s: number }> {
  const { stdout } = await timed('npm', ['pack', '--pack-destination', project.directory, '--json'], { cwd: checkout, limit });
  const [packed] = JSON.parse(stdout) as [{ readonly filename: string }];
  return {
    fieldwise: await installed(project, 'install-fieldwise', [project.path(packed.filename), 'cdk8s', 'constructs']),
    cdk8s: await installed(project, 'install-cdk8s', ['cdk8s', 'cdk8s-cli', 'constructs']),
  };
}

async function installed(project: BenchProject, name: string, packages: readonly string[]): Promise<number> {
  const directory = path.dirname(project.write(`${name}/package.json`, '{ "private": true, "type": "module" }'));
  await timed('npm', ['install', ...packages, '--no-audit', '--no-fund', '--loglevel=error'], { cwd: directory, limit });
  return bytesOnDisk(path.join(directory, 'node_modules'));
}

/** As `du` counts: blocks, not lengths. */
function bytesOnDisk(directory: string): number {
  return readdirSync(directory, { withFileTypes: true }).reduce((sum, entry) => {
    const file = path.join(directory, entry.name);
    return sum + lstatSync(file).blocks * 512 + (entry.isDirectory() ? bytesOnDisk(file) : 0);
  }, 0);
}
