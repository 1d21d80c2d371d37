import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import type { RunningServer } from '../../entry/embedded-server.js';
import { FieldwiseError } from '../../util/error.js';
import { poll, thisMachine } from '../../util/machine.js';
import { embeddedDirectory } from '../cluster/open-cluster.js';
import type { Host } from '../process/host.js';
import { shellWord } from '../render/shell-word.js';

interface EmbeddedServerFlags {
  readonly data?: string;
  readonly port?: string;
  readonly fsync?: boolean;
  readonly foreground?: boolean;
  readonly simulate?: boolean;
  readonly controllers?: boolean;
  readonly podReady?: string;
  readonly name?: string;
}

const dataHelp = 'data directory of the server (default: the nearest .fieldwise/cluster at or above the working directory)';

/** Adds `fieldwise cluster`, which controls the embedded API server. */
export function registerCluster(program: Command, host: Host): void {
  const cluster = program
    .command('cluster')
    .summary('start and stop the embedded API server: a Kubernetes API without a cluster')
    .description('Starts and stops the embedded API server: a Kubernetes API without a cluster, for development and tests.');
  cluster
    .command('start')
    .summary('start the server in the background')
    .description('Starts the embedded API server in the background, on the loopback interface, and prints the path of its kubeconfig.')
    .option('--data <dir>', dataHelp)
    .option('--port <number>', 'port to listen on, from 0 to 65535; 0 is any free port (default: 0)')
    .option(
      '--name <name>',
      'name of the context in the kubeconfig (default: fieldwise, the name of the project directory, and six characters of a digest of the data directory)',
    )
    .option('--no-fsync', 'write changes before the response, but do not wait for the disk; a power failure may lose them')
    .option(
      '--simulate',
      'run workloads as a cluster does: controllers make their Pods, which become ready, or fail as the annotation fieldwise.dev/simulate of the pod template says',
    )
    .option('--pod-ready <seconds>', 'with --simulate: seconds until a container has started (default: 0.2)')
    .option(
      '--no-controllers',
      'behave like a kube-apiserver alone, beside a kube-controller-manager: do not empty namespaces, collect garbage or release volumes',
    )
    .option('--foreground', 'run the server in this process until it is interrupted (default: in the background)')
    .action((flags: EmbeddedServerFlags) => (flags.foreground ? serve(host, flags) : start(host, flags)));
  cluster
    .command('stop')
    .summary('stop the server')
    .description('Stops the embedded API server that runs in the background. Its data is kept.')
    .option('--data <dir>', dataHelp)
    .action((flags: EmbeddedServerFlags) => stop(host, flags));
  cluster
    .command('status')
    .summary('print where the server listens')
    .description(
      'Prints the URL, the process and the data directory of the embedded API server that runs in the background, whether it simulates workloads, and whether it runs controllers.',
    )
    .option('--data <dir>', dataHelp)
    .action((flags: EmbeddedServerFlags) => status(host, flags));
  cluster
    .command('kubeconfig')
    .summary('print a kubeconfig for the server')
    .description('Prints a kubeconfig for the embedded API server that runs in the background.')
    .option('--data <dir>', dataHelp)
    .action(async (flags: EmbeddedServerFlags) => {
      const { kubeconfigText } = await import('../../entry/embedded-server.js');
      host.stdout(kubeconfigText(await running(host, flags)));
    });
  for (const command of cluster.commands) command.exitOverride().configureOutput({ writeOut: host.stdout, writeErr: host.stderr });
}

/** Serves until interrupted. */
async function serve(host: Host, flags: EmbeddedServerFlags): Promise<void> {
  const { announce, defaultPodReadySeconds, EmbeddedApiServer, kubeconfigText } = await import('../../entry/embedded-server.js');
  const data = directoryOf(host, flags);
  const name = nameOf(flags) ?? defaultName(data);
  const podReadySeconds = podReadyOf(flags);
  checkControllers(flags);
  const simulated = flags.simulate === true;
  const controllers = flags.controllers !== false;
  const cluster = await EmbeddedApiServer.start({
    ...{ data, port: portOf(flags), fsync: flags.fsync !== false, controllers: simulated ? 'simulated' : controllers },
    ...(podReadySeconds === undefined ? {} : { podReadySeconds }),
  });
  const { url, token, ca } = cluster;
  const kubeconfig = path.join(data, 'kubeconfig');
  writeFileSync(kubeconfig, kubeconfigText({ url, token, ca, name }), { mode: 0o600 });
  const withdraw = announce(data, {
    pid: process.pid,
    url,
    token,
    ca,
    name,
    simulated,
    controllers,
    podReadySeconds: simulated ? (podReadySeconds ?? defaultPodReadySeconds) : undefined,
  });
  host.stdout(`${kubeconfig}\n`);
  try {
    await new Promise<void>((resolve) => {
      if (host.signal.aborted) resolve();
      host.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  } finally {
    withdraw();
    await cluster.stop();
  }
}

async function start(host: Host, flags: EmbeddedServerFlags): Promise<void> {
  const { createDataDirectory, runningServer } = await import('../../entry/embedded-server.js');
  const data = directoryOf(host, flags);
  const port = portOf(flags);
  nameOf(flags);
  podReadyOf(flags);
  checkControllers(flags);
  const found = runningServer(data);
  if (found !== undefined) refuseOtherServer(found, port, flags);
  else {
    createDataDirectory(data);
    if (!(await startInBackground(host, flags, data))) return;
  }
  const { url } = await running(host, flags);
  host.stderr(`The embedded API server listens on ${url}. To stop it, run \`${commandFor('stop', flags)}\`.\n`);
  host.stdout(`${path.join(data, 'kubeconfig')}\n`);
}

/** Returns false where the server has refused to start: its own error is printed then. */
async function startInBackground(host: Host, flags: EmbeddedServerFlags, data: string): Promise<boolean> {
  const { runningServer } = await import('../../entry/embedded-server.js');
  const log = path.join(data, 'log');
  const output = openSync(log, 'w', 0o600);
  const words = ['cluster', 'start', '--foreground', '--data', data, ...(flags.port === undefined ? [] : ['--port', flags.port])];
  if (flags.name !== undefined) words.push('--name', flags.name);
  if (flags.fsync === false) words.push('--no-fsync');
  if (flags.simulate === true) words.push('--simulate');
  if (flags.controllers === false) words.push('--no-controllers');
  if (flags.podReady !== undefined) words.push('--pod-ready', flags.podReady);
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1] as string, ...words], {
    cwd: host.cwd,
    env: host.env,
    detached: true,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const ended = new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? 0)));
  const result = await Promise.race([ended, poll(thisMachine, 20, host.signal, async () => runningServer(data))]);
  child.removeAllListeners();
  child.unref();
  if (typeof result === 'object') return true;
  const text = readFileSync(log, 'utf8');
  if (result === undefined || result === 0 || text === '') {
    throw new FieldwiseError('cluster-not-started', 'usage', 'The embedded API server did not start', {
      location: { file: log },
      next: 'See what it wrote into this file.',
    });
  }
  host.stderr(text);
  host.setExitCode(result);
  return false;
}

/** @throws FieldwiseError `flag-invalid` if workloads are to be simulated without controllers. */
function checkControllers({ simulate, controllers }: EmbeddedServerFlags): void {
  if (simulate !== true || controllers !== false) return;
  throw new FieldwiseError('flag-invalid', 'usage', '`--simulate` runs controllers, and `--no-controllers` none', {
    next: 'Pass one of them.',
  });
}

function refuseOtherServer(running: RunningServer, port: number, flags: EmbeddedServerFlags): void {
  const { url, name, simulated = false, controllers = true, podReadySeconds } = running;
  const wanted = podReadyOf(flags);
  const isOtherPort = port !== 0 && Number(new URL(url).port) !== port;
  const isToSimulate = flags.simulate === true && !simulated;
  const isOtherTime = wanted !== undefined && wanted !== podReadySeconds;
  const isToStopControllers = flags.controllers === false && controllers;
  const changes = [
    [isOtherPort, 'give it another port'],
    [flags.name !== undefined && flags.name !== name, 'give it another name'],
    [isToSimulate, 'let it simulate workloads'],
    [isToStopControllers, 'run it without controllers'],
    [isOtherTime, 'change `--pod-ready`'],
  ] as const;
  const change = changes.find(([isWanted]) => isWanted)?.[1];
  if (change === undefined) return;
  throw new FieldwiseError('cluster-running', 'usage', `The embedded API server on this data runs already, on ${url}`, {
    next: `To ${change}, run \`${commandFor('stop', flags)}\` first.`,
  });
}

/** The command for the same data, as a person types it. */
function commandFor(command: 'start' | 'stop', { data }: EmbeddedServerFlags): string {
  return `fieldwise cluster ${command}${data === undefined ? '' : ` --data ${/^[\w./-]+$/.test(data) ? data : shellWord(data)}`}`;
}

async function status(host: Host, flags: EmbeddedServerFlags): Promise<void> {
  const { url, pid, simulated = false, controllers = true, podReadySeconds } = await running(host, flags);
  // A server of an earlier version does not say when its Pods are ready.
  const ready = podReadySeconds === undefined ? '' : `, ready after ${podReadySeconds} s`;
  const workloads = simulated ? `simulated${ready}` : 'not simulated';
  const lines = `url         ${url}\nprocess     ${pid}\ndata        ${directoryOf(host, flags)}\nworkloads   ${workloads}\n`;
  host.stdout(controllers ? lines : `${lines}controllers none\n`);
}

async function stop(host: Host, flags: EmbeddedServerFlags): Promise<void> {
  const { runningServer } = await import('../../entry/embedded-server.js');
  const data = directoryOf(host, flags);
  const found = runningServer(data);
  if (found === undefined) {
    host.stderr(`No embedded API server runs on the data in ${data}.\n`);
    return;
  }
  process.kill(found.pid, 'SIGTERM');
  for (let tries = 0; runningServer(data) !== undefined && tries < 100; tries++) await thisMachine.pause(50, host.signal);
  host.stderr('The embedded API server has stopped. Its data is kept.\n');
}

async function running(host: Host, flags: EmbeddedServerFlags): Promise<RunningServer> {
  const { runningServer } = await import('../../entry/embedded-server.js');
  const data = directoryOf(host, flags);
  const found = runningServer(data);
  if (found !== undefined) return found;
  throw new FieldwiseError('cluster-not-running', 'usage', 'No embedded API server runs on this data directory', {
    location: { file: data },
    next: `Start one with \`${commandFor('start', flags)}\`.`,
  });
}

function directoryOf(host: Host, { data }: EmbeddedServerFlags): string {
  if (data === '') throw new FieldwiseError('flag-invalid', 'usage', '`--data` is empty', { next: 'Pass the path of a directory.' });
  return data === undefined ? embeddedDirectory(host.cwd) : path.resolve(host.cwd, data);
}

/** Returns the name of the context that the user has chosen. */
function nameOf({ name }: EmbeddedServerFlags): string | undefined {
  if (name === undefined || /^[\w.@-]{1,63}$/.test(name)) return name;
  throw new FieldwiseError('flag-invalid', 'usage', `\`--name ${name}\` is not a name for a context`, {
    next: 'Pass up to 63 letters, digits and the characters ".", "_", "-" and "@".',
  });
}

/** Returns a name that differs from that of other directories, so that their kubeconfigs can be merged. */
function defaultName(data: string): string {
  const isOfProject = path.basename(data) === 'cluster' && path.basename(path.dirname(data)) === '.fieldwise';
  const directory = path.basename(isOfProject ? path.dirname(path.dirname(data)) : data);
  const digest = createHash('sha256').update(data).digest('hex').slice(0, 6);
  return `fieldwise-${directory.replaceAll(/[^A-Za-z0-9]/g, '-').slice(0, 40)}-${digest}`;
}

/** Returns the seconds until a simulated container has started. */
function podReadyOf({ simulate, podReady }: EmbeddedServerFlags): number | undefined {
  if (podReady === undefined) return undefined;
  if (simulate !== true)
    throw new FieldwiseError('flag-invalid', 'usage', '`--pod-ready` has no effect without `--simulate`', {
      next: 'Pass `--simulate`, too.',
    });
  const seconds = podReady.trim() === '' ? Number.NaN : Number(podReady);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds;
  throw new FieldwiseError('flag-invalid', 'usage', `\`--pod-ready ${podReady}\` is not a number of seconds`, {
    next: 'Pass a number of seconds, at least 0.',
  });
}

function portOf({ port = '0' }: EmbeddedServerFlags): number {
  const number = Number(port);
  if (Number.isInteger(number) && number >= 0 && number < 65536) return number;
  throw new FieldwiseError('flag-invalid', 'usage', `\`--port ${port}\` is not a port`, { next: 'Pass an integer from 0 to 65535.' });
}
