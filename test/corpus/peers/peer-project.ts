import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The peers, with the versions that the figures in docs/codegen.md were measured with; TypeScript under the name of its version. */
export const peerPackages: Readonly<Record<string, string>> = {
  '@kubernetes-models/crd-generate': '5.1.0',
  '@kubernetes/client-node': '2.0.1',
  cdk8s: '2.70.106',
  'cdk8s-cli': '2.207.60',
  'cdk8s-plus-33': '2.5.57',
  constructs: '10.8.1',
  'kubernetes-models': '4.5.1',
  'typescript-5.9': 'npm:typescript@5.9.3',
  'typescript-6': 'npm:typescript@6.0.3',
};

/** What is kept between runs, outside the repository. Deleting it costs a few minutes of the next run. */
export const cacheDirectory = join(tmpdir(), 'fieldwise-corpus-cache');

/** A project that has the peers installed; made once, and again when a version above changes. */
export class PeerProject {
  readonly directory = join(cacheDirectory, 'peers');

  /** @throws Error with npm's words, if the peers cannot be installed. */
  async install(): Promise<void> {
    const wanted = JSON.stringify({ private: true, dependencies: peerPackages }, undefined, 2);
    const manifest = join(this.directory, 'package.json');
    const done = join(this.directory, 'installed.json');
    if (existsSync(done) && readFileSync(done, 'utf8') === wanted) return;
    mkdirSync(this.directory, { recursive: true });
    writeFileSync(manifest, wanted);
    const flags = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
    await run('npm', flags, { cwd: this.directory, timeout: 600_000 });
    writeFileSync(done, wanted);
  }

  path(name: string): string {
    return join(this.directory, 'node_modules', name);
  }

  /** Runs a command of a peer. @throws Error with what it printed. */
  async command(name: string, words: readonly string[], cwd: string): Promise<void> {
    await run(join(this.directory, 'node_modules', '.bin', name), words, { cwd, timeout: 120_000, maxBuffer: 1 << 26 });
  }
}
