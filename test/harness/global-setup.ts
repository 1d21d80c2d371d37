import type {} from 'vitest';
import type { TestProject } from 'vitest/node';
import { clusterWideObjects } from './leftovers.js';
import { startServer } from './server.js';

declare module 'vitest' {
  interface ProvidedContext {
    readonly server: { readonly from: string; readonly kubeconfig: string; readonly kubectl: string | undefined };
  }
}

/** One API server for all files of a run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { from, kubeconfig, kubectl, stop } = await startServer();
  process.stderr.write(`API server from ${from}${kubectl ? '' : '; no kubectl: foreign writes go straight to the API'}\n`);
  project.provide('server', { from, kubeconfig, kubectl });
  const onSignal = (signal: NodeJS.Signals) => void stop().finally(() => process.exit(signal === 'SIGINT' ? 130 : 143));
  process.once('SIGTERM', onSignal);
  const before = new Set(from === 'KUBECONFIG_TEST' ? [] : await clusterWideObjects(kubeconfig));
  return async () => {
    process.off('SIGTERM', onSignal);
    // On a cluster that others use, too, what is new may be theirs.
    const left = from === 'KUBECONFIG_TEST' ? [] : (await clusterWideObjects(kubeconfig)).filter((object) => !before.has(object));
    await stop();
    if (left.length > 0) throw new Error(`the tests left behind: ${left.join(', ')}`);
  };
}
