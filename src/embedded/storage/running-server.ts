import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isProcessAlive } from '../../util/process-alive.js';

/** A server that runs on a data directory, as other commands find it. */
export interface RunningServer {
  readonly pid: number;
  readonly url: string;
  readonly token: string;
  readonly ca?: string | undefined;
}

const fileName = 'server.json';

/** Tells others that this process serves a directory. Only its owner may read the token. */
export function announce(directory: string, running: RunningServer): () => void {
  const file = path.join(directory, fileName);
  rmSync(file, { force: true });
  writeFileSync(file, `${JSON.stringify(running)}\n`, { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

/** The server that runs on a directory, or undefined. */
export function runningServer(directory: string): RunningServer | undefined {
  try {
    const running = JSON.parse(readFileSync(path.join(directory, fileName), 'utf8')) as RunningServer;
    return isProcessAlive(running.pid) ? running : undefined;
  } catch {
    return undefined;
  }
}
