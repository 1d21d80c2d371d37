import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildLock, lockBuild } from './build-lock.js';

export type Environment = Readonly<Record<string, string | undefined>>;
export type Progress = (line: string) => void;

/** A Go module below test. Its binaries are built once and kept in a cache. */
export interface GoModule {
  readonly name: 'apiserver' | 'controller-manager' | 'operator' | 'peers';
  /** The directory below test. @default the name */
  readonly directory?: string;
  /** Such as `API server`. */
  readonly title: string;
  readonly minutes: string;
  /** The module whose version names what is built. */
  readonly versionOf: string;
  /** Files of our own that are compiled, beside go.mod and go.sum. */
  readonly sources: readonly string[];
  /** The packages that are built; `.` has the name of the module. */
  readonly packages: readonly string[];
  /** What the packages are built to. The first one is there if the build was complete. */
  readonly binaries: readonly [string, ...string[]];
  /** Flags of `go build` beside those of all modules. */
  readonly flags: readonly string[];
  /** Directories of `versionOf` whose files are kept beside the binaries. */
  readonly copied?: readonly string[];
}

const apiServer: GoModule = {
  name: 'apiserver',
  directory: 'real-apiserver',
  title: 'API server',
  minutes: 'five',
  versionOf: 'k8s.io/kubernetes',
  sources: ['main.go'],
  packages: ['.', 'k8s.io/kubernetes/cmd/kubectl'],
  binaries: ['apiserver', 'kubectl'],
  flags: [],
};

/** The controller manager, and the scheduler beside it. Builds one package at a time: the tests that need it run beside others. */
export const controllerManager: GoModule = {
  name: 'controller-manager',
  title: 'controller manager',
  minutes: 'four',
  versionOf: 'k8s.io/kubernetes',
  sources: ['main.go', 'scheduler/main.go'],
  packages: ['.', './scheduler'],
  binaries: ['controller-manager', 'scheduler'],
  flags: ['-p', '1'],
};

/** The Prometheus Operator, with its definitions and the permissions that it documents. */
export const operator: GoModule = {
  name: 'operator',
  title: 'Prometheus Operator',
  minutes: 'three',
  versionOf: 'github.com/prometheus-operator/prometheus-operator',
  sources: [],
  packages: ['github.com/prometheus-operator/prometheus-operator/cmd/operator'],
  binaries: ['operator'],
  flags: ['-p', '1'],
  copied: ['example/prometheus-operator-crd-full', 'example/rbac/prometheus-operator'],
};

/** Other tools, and what measures them. */
export const peers: GoModule = {
  name: 'peers',
  title: 'peers (Helm, and Flux by its library)',
  minutes: 'five',
  versionOf: 'helm.sh/helm/v4',
  sources: ['flux/main.go', 'measure/main.go'],
  packages: ['./flux', './measure', 'helm.sh/helm/v4/cmd/helm'],
  binaries: ['flux', 'measure', 'helm'],
  flags: [],
};

const directoryOf = ({ name, directory = name }: GoModule) => fileURLToPath(new URL(`../${directory}`, import.meta.url));

/** The Kubernetes version that the tests run on, such as `v1.36.3`; go.mod is the one place that states it. */
export function kubernetesVersion(goMod = readFileSync(join(directoryOf(apiServer), 'go.mod'), 'utf8')): string {
  return requiredVersion(goMod, apiServer.versionOf);
}

/** Returns the version of a dependency by the text of a go.mod, such as `v4.3.1`. */
export function requiredVersion(goMod: string, dependency: string): string {
  const words = goMod.split('\n').map((line) =>
    line
      .trim()
      .split(/\s+/)
      .filter((word) => word !== 'require'),
  );
  const version = words.find(([path]) => path === dependency)?.[1];
  if (version === undefined || !/^v\d+\.\d+\.\d+$/.test(version)) throw new Error(`go.mod requires no ${dependency}`);
  return version;
}

/** Returns the version of a dependency of a module. */
export function versionIn(module: GoModule, dependency = module.versionOf): string {
  return requiredVersion(readFileSync(join(directoryOf(module), 'go.mod'), 'utf8'), dependency);
}

/** Where what a module builds is kept: outside the checkout, by everything that changes it. */
export function cacheDirectory(environment: Environment, module = apiServer): string {
  const base = environment.FIELDWISE_CACHE || environment.XDG_CACHE_HOME || join(environment.HOME || homedir(), '.cache');
  const hash = createHash('sha256');
  for (const file of ['go.mod', 'go.sum', ...module.sources]) hash.update(readFileSync(join(directoryOf(module), file)));
  for (const path of module.copied ?? []) hash.update(path);
  const key = `${versionIn(module)}-${hash.digest('hex').slice(0, 12)}-${process.platform}-${process.arch}`;
  return join(base, 'fieldwise', module.name, key);
}

/** Returns the directory with what a module builds, and builds it if it is not in the cache. @returns undefined without Go. */
export async function findOrBuild(module: GoModule, environment: Environment, progress: Progress): Promise<string | undefined> {
  const directory = cacheDirectory(environment, module);
  if (isExecutable(join(directory, module.binaries[0]))) return directory;
  const go = findOnPath('go', environment);
  if (go === undefined) return undefined;
  await buildBinaries(go, directory, progress, module);
  return directory;
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
 * Builds a module, by default the server and kubectl, into `target`. Of several builders at once, in one process or in many, one builds, and the
 * others wait and use its result; if it is killed, the next one builds as soon as its compiler has ended.
 */
export async function buildBinaries(go: string, target: string, progress: Progress, module = apiServer): Promise<void> {
  const lock = await lockBuild(target, (pids, file) =>
    progress(`waiting for process ${pids.join(' and ')}, which builds the ${module.title} (${file})`),
  );
  try {
    if (!isExecutable(join(target, module.binaries[0]))) await build(go, target, progress, module, lock);
  } finally {
    lock.release();
  }
}

async function build(go: string, target: string, progress: Progress, module: GoModule, lock: BuildLock): Promise<void> {
  const [parent, prefix] = [dirname(target), `.building-${basename(target)}-`];
  // What a build that was killed left: nobody else builds it.
  for (const name of readdirSync(parent)) if (name.startsWith(prefix)) rmSync(join(parent, name), { recursive: true, force: true });
  const unfinished = mkdtempSync(join(parent, prefix));
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  progress(`building the ${module.title} ${versionIn(module)} with ${go}: once, about ${module.minutes} minutes on two cores`);
  const clock = setInterval(() => progress(`still building the ${module.title}, ${seconds()} s`), 30_000);
  try {
    await runGoBuild(go, unfinished, progress, module, lock);
    for (const path of module.copied ?? []) copyFiles(join(sourceOf(go, module), path), join(unfinished, path));
    // Without its first binary, the directory is not complete.
    rmSync(target, { recursive: true, force: true });
    renameSync(unfinished, target);
    progress(`built the ${module.title} in ${seconds()} s; kept in ${target}`);
  } finally {
    clearInterval(clock);
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** The directory of the module cache with the sources of what is built. */
function sourceOf(go: string, module: GoModule): string {
  const args = ['list', '-m', '-f', '{{.Dir}}', module.versionOf];
  return execFileSync(go, args, { cwd: directoryOf(module), encoding: 'utf8' }).trim();
}

/** Copies the files of a directory, but not their modes: those of the module cache cannot be written. */
function copyFiles(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true }))
    if (entry.isFile()) writeFileSync(join(to, entry.name), readFileSync(join(from, entry.name)));
}

function runGoBuild(go: string, output: string, progress: Progress, module: GoModule, lock: BuildLock): Promise<void> {
  const version = versionIn(module);
  const [major, minor] = version.slice(1).split('.');
  const variable = (name: string, value: string) => `-X k8s.io/component-base/version.${name}=${value}`;
  const flags = ['-s', '-w', variable('gitVersion', version), variable('gitMajor', major!), variable('gitMinor', minor!)].join(' ');
  const build = spawn(go, ['build', ...module.flags, '-trimpath', '-ldflags', flags, '-o', `${output}/`, ...module.packages], {
    cwd: directoryOf(module),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (build.pid !== undefined) lock.note(build.pid);
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
      code === 0
        ? resolve()
        : reject(new Error(`go build of test/${module.directory ?? module.name} failed (${code}):\n${buildOutput.trim()}`)),
    );
  });
}
