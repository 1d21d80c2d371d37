import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isProcessAlive, processStart } from '../../util/process-alive.js';

/** A server that runs on a data directory, described for other commands. */
export interface RunningServer {
  readonly pid: number;
  readonly url: string;
  /** Bearer token of the administrator. */
  readonly token: string;
  /** Certificate of the server as PEM; undefined without TLS. */
  readonly ca?: string | undefined;
  /** The name of the context in its kubeconfig; absent of an earlier version. */
  readonly name?: string | undefined;
  /** True if it simulates workloads. @default false */
  readonly simulated?: boolean | undefined;
  /** False if it runs no controllers. @default true */
  readonly controllers?: boolean | undefined;
  /** Seconds until a simulated container has started; undefined if the server does not simulate workloads. */
  readonly podReadySeconds?: number | undefined;
  /** `processStart` of the process. */
  readonly start?: string | undefined;
}

const fileName = 'server.json';

/** Records that this process serves a directory, in a file that only its owner may read. Returns a function that removes the file. */
export function announce(directory: string, running: RunningServer): () => void {
  const file = path.join(directory, fileName);
  rmSync(file, { force: true });
  writeFileSync(file, `${JSON.stringify({ ...running, start: processStart(running.pid) })}\n`, { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

/** Returns the server that runs on a directory; undefined if none does. */
export function runningServer(directory: string): RunningServer | undefined {
  try {
    const running = JSON.parse(readFileSync(path.join(directory, fileName), 'utf8')) as RunningServer;
    return isProcessAlive(running.pid, running.start) ? running : undefined;
  } catch {
    return undefined;
  }
}
