import type {} from 'vitest';
import type { TestProject } from 'vitest/node';
import { clusterWideObjects } from './cluster-wide-objects.js';
import { startServer, type TestServer } from './server.js';

declare module 'vitest' {
  interface ProvidedContext {
    readonly server: Omit<TestServer, 'stop'>;
  }
}

/** One real API server for all files of a run. */
export default function setup(project: TestProject): Promise<() => Promise<void>> {
  process.stderr.write('only on the embedded server: malformed responses, which a proxy gives, and comments on pull requests\n');
  return provideServer(project, startServer);
}

/** Starts a server for a project, and sees at the end that the tests left nothing in it. */
export async function provideServer(project: TestProject, start: () => Promise<TestServer>): Promise<() => Promise<void>> {
  const { from, kubeconfig, kubectl, hasControllers, stop } = await start();
  process.stderr.write(`API server from ${from}${kubectl ? '' : '; no kubectl: foreign writes go straight to the API'}\n`);
  project.provide('server', { from, kubeconfig, kubectl, hasControllers });
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
