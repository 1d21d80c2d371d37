import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildBinaries, cacheDirectory, type Environment, findOnPath, isExecutable, type Progress } from './binaries.js';
import { startEmbeddedServer } from './embedded-server.js';
import { startEnvtest } from './envtest.js';
import type { Daemon } from './process.js';
import { chooseServer, type ServerChoice } from './server-choice.js';
import { startOwnServer } from './start-own-server.js';

/** A Kubernetes API server for tests. */
export interface TestServer {
  readonly from: ServerChoice['from'] | 'embedded';
  /** Its administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** A foreign client of the same version where there is one, else the one on PATH, else none. */
  readonly kubectl: string | undefined;
  /** Whether it finishes by itself what it was told to delete, such as namespaces. */
  readonly hasControllers: boolean;
  /** Stops what was started here and removes its data; a cluster that a person named is left alone. */
  stop(): Promise<void>;
}

const toStandardError: Progress = (line) => process.stderr.write(`apiserver: ${line}\n`);

/** Finds, if need be builds, and starts the server. */
export async function startServer(environment: Environment = process.env, progress: Progress = toStandardError): Promise<TestServer> {
  const choice = chooseServer(environment);
  if (choice.from === 'KUBECONFIG_TEST') {
    return {
      from: choice.from,
      kubeconfig: choice.kubeconfig,
      kubectl: kubectlOf(cacheDirectory(environment), environment),
      hasControllers: true,
      stop: async () => {},
    };
  }
  if (choice.from === 'build') await buildBinaries(choice.go, choice.directory, progress);
  const start = (directory: string) =>
    choice.from === 'KUBEBUILDER_ASSETS'
      ? startEnvtest(choice.directory, directory)
      : startOwnServer(join(choice.directory, 'apiserver'), directory);
  const started = await inTemporaryDirectory(start);
  return { from: choice.from, kubectl: kubectlOf(choice.directory, environment), hasControllers: false, ...started };
}

/** Fieldwise's own API server, in a process of its own: needs nothing but the build. */
export async function startEmbedded(environment: Environment = process.env): Promise<TestServer> {
  const started = await inTemporaryDirectory(startEmbeddedServer);
  return { from: 'embedded', kubectl: kubectlOf(cacheDirectory(environment), environment), hasControllers: true, ...started };
}

async function inTemporaryDirectory(
  start: (directory: string) => Promise<{ kubeconfig: string; daemons: Daemon[] }>,
): Promise<Pick<TestServer, 'kubeconfig' | 'stop'>> {
  const directory = mkdtempSync(join(tmpdir(), 'fieldwise-apiserver-'));
  try {
    const { kubeconfig, daemons } = await start(directory);
    const onExit = () => {
      for (const daemon of daemons) daemon.kill();
      removeQuietly(directory);
    };
    process.once('exit', onExit);
    const stop = async () => {
      for (const daemon of daemons) await daemon.stop();
      removeQuietly(directory);
      process.off('exit', onExit);
    };
    return { kubeconfig, stop };
  } catch (error) {
    removeQuietly(directory);
    throw error;
  }
}

function kubectlOf(directory: string, environment: Environment): string | undefined {
  const own = join(directory, 'kubectl');
  return existsSync(own) && isExecutable(own) ? own : findOnPath('kubectl', environment);
}

function removeQuietly(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  } catch {
    // a temporary directory that a dying process still writes to is the system's to clear
  }
}
