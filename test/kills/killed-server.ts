import { type ChildProcess, spawn } from 'node:child_process';
import { ApiClient } from '../harness/api-client.js';
import { commandLine } from '../harness/fieldwise.js';

/** The embedded API server as a process that ends without notice. */
export class KilledServer {
  readonly #child: ChildProcess;
  readonly #ended: Promise<string>;
  readonly #started: Promise<string>;
  #errors = '';

  constructor(data: string, flags: readonly string[]) {
    const words = [commandLine, 'cluster', 'start', '--foreground', '--data', data, ...flags];
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once('close', (code, signal) => resolve(`${signal ?? code} ${this.#errors}`)));
    child.stderr.on('data', (chunk: Buffer) => {
      this.#errors += chunk.toString();
    });
    this.#started = new Promise((resolve) => child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim())));
  }

  /** A client of the server, once it listens; undefined if it ended before. */
  async client(): Promise<ApiClient | undefined> {
    const kubeconfig = await Promise.race([this.#started, this.#ended.then(() => undefined)]);
    return kubeconfig === undefined ? undefined : new ApiClient(kubeconfig);
  }

  /** Ends the server. @returns what it printed, and why it ended. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<string> {
    this.#child.kill(signal);
    return this.#ended;
  }
}
