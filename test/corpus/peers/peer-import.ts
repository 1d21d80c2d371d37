import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { cacheDirectory, type PeerProject, peerPackages } from './peer-project.js';

/** Files that a peer writes for a CRD by relative path; or the first line of its error. */
export type PeerOutput = { readonly files: Readonly<Record<string, string>> } | { readonly failure: string };

export type Importer = 'cdk8s-cli' | '@kubernetes-models/crd-generate';

const commands: Readonly<Record<Importer, (project: PeerProject, file: string, into: string, cwd: string) => Promise<void>>> = {
  'cdk8s-cli': (project, file, into, cwd) =>
    project.command('cdk8s', ['import', file, '--language', 'typescript', '--check-upgrade=false', '--save=false', '--output', into], cwd),
  '@kubernetes-models/crd-generate': (project, file, into, cwd) =>
    project.command('crd-generate', ['--input', file, '--output', into], cwd),
};

/** Imports the text of a CRD with a peer, or returns what the same version wrote for the same text earlier: a run takes a second or two. */
export async function peerImport(project: PeerProject, importer: Importer, text: string): Promise<PeerOutput> {
  const digest = createHash('sha256').update(text).digest('hex');
  const kept = join(cacheDirectory, `${importer.replace(/\W+/g, '-')}-${peerPackages[importer]}`, `${digest}.json`);
  if (existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8')) as PeerOutput;
  mkdirSync(dirname(kept), { recursive: true });
  const scratch = mkdtempSync(join(cacheDirectory, 'import-'));
  try {
    writeFileSync(join(scratch, 'crd.yaml'), text);
    const output = await outputOf(() => commands[importer](project, 'crd.yaml', 'out', scratch), join(scratch, 'out'));
    writeFileSync(`${kept}.new`, JSON.stringify(output));
    renameSync(`${kept}.new`, kept);
    return output;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function outputOf(command: () => Promise<void>, directory: string): Promise<PeerOutput> {
  try {
    await command();
  } catch (error) {
    const text = error instanceof Error ? ((error as { stderr?: string }).stderr || error.message).trim() : String(error);
    return { failure: lineOfError(text) };
  }
  const files = filesBelow(directory);
  if (Object.keys(files).length === 0) return { failure: 'it wrote no file' };
  return { files };
}

function lineOfError(text: string): string {
  const lines = text.split('\n');
  return (lines.find((line) => /error/i.test(line)) ?? lines[0] ?? 'no message').trim().slice(0, 200);
}

function filesBelow(directory: string): Record<string, string> {
  if (!existsSync(directory)) return {};
  const names = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = names.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(files.map((file) => [relative(directory, file), readFileSync(file, 'utf8')]));
}
