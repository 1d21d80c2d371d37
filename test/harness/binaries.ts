import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Environment = Readonly<Record<string, string | undefined>>;
export type Progress = (line: string) => void;

/** Sources of our own API server: a Go module. */
const moduleDirectory = fileURLToPath(new URL('../apiserver', import.meta.url));

/** The Kubernetes version that the module builds, such as `v1.36.3`; go.mod is the one place that states it. */
export function kubernetesVersion(goMod = readFileSync(join(moduleDirectory, 'go.mod'), 'utf8')): string {
  const version = /^\s*k8s\.io\/kubernetes (v\d+\.\d+\.\d+)\s*$/m.exec(goMod)?.[1];
  if (version === undefined) throw new Error('test/apiserver/go.mod requires no k8s.io/kubernetes');
  return version;
}

/** Where the built server and kubectl are kept: outside the checkout, by everything that changes them. */
export function cacheDirectory(environment: Environment): string {
  const base = environment.FIELDWISE_CACHE || environment.XDG_CACHE_HOME || join(environment.HOME || homedir(), '.cache');
  const hash = createHash('sha256');
  for (const file of ['go.mod', 'go.sum', 'main.go']) hash.update(readFileSync(join(moduleDirectory, file)));
  const key = `${kubernetesVersion()}-${hash.digest('hex').slice(0, 12)}-${process.platform}-${process.arch}`;
  return join(base, 'fieldwise', 'apiserver', key);
}

/** The first executable of that name on PATH. */
export function findOnPath(name: string, environment: Environment): string | undefined {
  return (environment.PATH ?? '')
    .split(delimiter)
    .filter((directory) => directory !== '')
    .map((directory) => join(directory, name))
    .find(isExecutable);
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return existsSync(path);
  } catch {
    return false;
  }
}

/**
 * Builds the server and kubectl into `target`. Two builders at once are safe: each works in a directory of its own and
 * the first rename wins.
 */
export async function buildBinaries(go: string, target: string, progress: Progress): Promise<void> {
  mkdirSync(dirname(target), { recursive: true });
  const unfinished = mkdtempSync(join(dirname(target), '.building-'));
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  progress(`building a Kubernetes ${kubernetesVersion()} API server with ${go}: once, about five minutes on two cores`);
  const clock = setInterval(() => progress(`still building the API server, ${seconds()} s`), 30_000);
  try {
    await runGoBuild(go, unfinished, progress);
    try {
      renameSync(unfinished, target);
    } catch (error) {
      if (!isExecutable(join(target, 'apiserver'))) throw error;
    }
    progress(`built the API server in ${seconds()} s; kept in ${target}`);
  } finally {
    clearInterval(clock);
    rmSync(unfinished, { recursive: true, force: true });
  }
}

function runGoBuild(go: string, output: string, progress: Progress): Promise<void> {
  const version = kubernetesVersion();
  const [major, minor] = version.slice(1).split('.');
  const variable = (name: string, value: string) => `-X k8s.io/component-base/version.${name}=${value}`;
  const flags = ['-s', '-w', variable('gitVersion', version), variable('gitMajor', major!), variable('gitMinor', minor!)].join(' ');
  const packages = ['.', 'k8s.io/kubernetes/cmd/kubectl'];
  const build = spawn(go, ['build', '-trimpath', '-ldflags', flags, '-o', `${output}/`, ...packages], {
    cwd: moduleDirectory,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let buildOutput = '';
  const listen = (chunk: Buffer) => {
    buildOutput = (buildOutput + chunk).slice(-4000);
    for (const line of chunk.toString().split('\n')) if (line.startsWith('go: ')) progress(line);
  };
  build.stdout.on('data', listen);
  build.stderr.on('data', listen);
  return new Promise((resolve, reject) => {
    build.on('error', reject);
    build.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`go build of test/apiserver failed (${code}):\n${buildOutput.trim()}`)),
    );
  });
}
