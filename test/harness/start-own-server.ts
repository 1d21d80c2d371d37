import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Daemon, startDaemon } from './process.js';

/** Starts the server of test/real-apiserver; it writes the kubeconfig when it is ready. */
export async function startOwnServer(binary: string, directory: string): Promise<{ kubeconfig: string; daemons: Daemon[] }> {
  const kubeconfig = join(directory, 'kubeconfig');
  const server = startDaemon(binary, ['--dir', directory, '--kubeconfig', kubeconfig], join(directory, 'apiserver.log'));
  try {
    await server.untilReady(() => existsSync(kubeconfig), 150);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { kubeconfig, daemons: [server] };
}
