import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Environment = Readonly<Record<string, string | undefined>>;
export type Progress = (line: string) => void;

/** A Go module of this directory that builds a part of Kubernetes. */
export interface GoModule {
  readonly name: 'apiserver' | 'controller-manager';
  /** Such as `API server`. */
  readonly title: string;
  readonly minutes: string;
  /** The packages that are built; `.` has the name of the module. */
  readonly packages: readonly string[];
  /** Flags of `go build` beside those of all modules. */
  readonly flags: readonly string[];
}

const apiServer: GoModule = {
  name: 'apiserver',
  title: 'API server',
  minutes: 'five',
  packages: ['.', 'k8s.io/kubernetes/cmd/kubectl'],
  flags: [],
};

/** Builds one package at a time: the tests that need it run beside others. */
export const controllerManager: GoModule = {
  name: 'controller-manager',
  title: 'controller manager',
  minutes: 'four',
  packages: ['.'],
  flags: ['-p', '1'],
};

const directoryOf = ({ name }: GoModule) => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** The Kubernetes version that a module builds, such as `v1.36.3`; go.mod is the one place that states it. */
export function kubernetesVersion(goMod = readFileSync(join(directoryOf(apiServer), 'go.mod'), 'utf8')): string {
  const version = /^\s*(?:require )?k8s\.io\/kubernetes (v\d+\.\d+\.\d+)\s*$/m.exec(goMod)?.[1];
  if (version === undefined) throw new Error('go.mod requires no k8s.io/kubernetes');
  return version;
}

/** Where what a module builds is kept: outside the checkout, by everything that changes it. */
export function cacheDirectory(environment: Environment, module = apiServer): string {
  const base = environment.FIELDWISE_CACHE || environment.XDG_CACHE_HOME || join(environment.HOME || homedir(), '.cache');
  const hash = createHash('sha256');
  for (const file of ['go.mod', 'go.sum', 'main.go']) hash.update(readFileSync(join(directoryOf(module), file)));
  const key = `${versionOf(module)}-${hash.digest('hex').slice(0, 12)}-${process.platform}-${process.arch}`;
  return join(base, 'fieldwise', module.name, key);
}

const versionOf = (module: GoModule) => kubernetesVersion(readFileSync(join(directoryOf(module), 'go.mod'), 'utf8'));

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
 * Builds a module, by default the server and kubectl, into `target`. Two builders at once are safe: each works in a directory of its own and
 * the first rename wins.
 */
export async function buildBinaries(go: string, target: string, progress: Progress, module = apiServer): Promise<void> {
  mkdirSync(dirname(target), { recursive: true });
  const unfinished = mkdtempSync(join(dirname(target), '.building-'));
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  progress(`building a Kubernetes ${versionOf(module)} ${module.title} with ${go}: once, about ${module.minutes} minutes on two cores`);
  const clock = setInterval(() => progress(`still building the ${module.title}, ${seconds()} s`), 30_000);
  try {
    await runGoBuild(go, unfinished, progress, module);
    try {
      renameSync(unfinished, target);
    } catch (error) {
      if (!isExecutable(join(target, module.name))) throw error;
    }
    progress(`built the ${module.title} in ${seconds()} s; kept in ${target}`);
  } finally {
    clearInterval(clock);
    rmSync(unfinished, { recursive: true, force: true });
  }
}

function runGoBuild(go: string, output: string, progress: Progress, module: GoModule): Promise<void> {
  const version = versionOf(module);
  const [major, minor] = version.slice(1).split('.');
  const variable = (name: string, value: string) => `-X k8s.io/component-base/version.${name}=${value}`;
  const flags = ['-s', '-w', variable('gitVersion', version), variable('gitMajor', major!), variable('gitMinor', minor!)].join(' ');
  const build = spawn(go, ['build', ...module.flags, '-trimpath', '-ldflags', flags, '-o', `${output}/`, ...module.packages], {
    cwd: directoryOf(module),
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
      code === 0 ? resolve() : reject(new Error(`go build of test/${module.name} failed (${code}):\n${buildOutput.trim()}`)),
    );
  });
}
