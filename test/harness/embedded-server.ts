import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Daemon, startDaemon } from './process.js';

const program = fileURLToPath(new URL('serve-embedded.ts', import.meta.url));

/** Starts Fieldwise's own API server, the built one. */
export async function startEmbeddedServer(directory: string): Promise<{ kubeconfig: string; daemons: Daemon[] }> {
  const kubeconfig = join(directory, 'kubeconfig');
  const server = startDaemon(process.execPath, ['--import', 'tsx', program, kubeconfig], join(directory, 'server.log'));
  try {
    await server.untilReady(() => existsSync(kubeconfig), 60);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { kubeconfig, daemons: [server] };
}
