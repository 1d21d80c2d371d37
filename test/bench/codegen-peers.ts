import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type BenchProject, timed } from './bench-project.js';

/** Others that make TypeScript of CRDs, by package; the words after the command that import FILE into DIRECTORY. */
const peers = {
  'cdk8s-cli': { command: 'cdk8s', words: (file: string, into: string) => ['import', file, '--language', 'typescript', '--output', into] },
  'kubernetes-fluent-client': { command: 'kubernetes-fluent-client', words: (file: string, into: string) => ['crd', file, into] },
  '@kubernetes-models/crd-generate': {
    command: 'crd-generate',
    words: (file: string, into: string) => ['--input', file, '--output', into],
  },
} as const;

export type Peer = keyof typeof peers;

/** A peer in a project of its own, ready to run; or why it is not there. */
export type Installed = { readonly run: (file: string, into: string) => Promise<number> } | { readonly absent: string };

/** Installs each peer with npm; one that cannot be installed is left out and says why. */
export async function installPeers(project: BenchProject): Promise<ReadonlyMap<Peer, Installed>> {
  const found = new Map<Peer, Installed>();
  for (const [name, { command, words }] of Object.entries(peers) as [Peer, (typeof peers)[Peer]][]) {
    const cwd = project.path(`peers/${command}`);
    project.write(`peers/${command}/package.json`, '{ "private": true }');
    try {
      const flags = ['install', name, '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
      await timed('npm', flags, { cwd, limit: 300_000 });
      const bin = join(cwd, 'node_modules', '.bin', command);
      found.set(
        name,
        existsSync(bin)
          ? { run: async (file, into) => (await timed(bin, words(file, into), { cwd, limit: 120_000 })).milliseconds }
          : { absent: `it has no command ${command}` },
      );
    } catch (error) {
      found.set(name, { absent: error instanceof Error ? (error.message.split('\n')[0] as string).slice(0, 120) : String(error) });
    }
  }
  return found;
}
