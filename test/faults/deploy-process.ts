import { readAssembly } from '../../src/assembly/index.js';
import { runDeploy, runDestroy } from './engine.js';

/** Asked by its parent, deploys or destroys an assembly; to be killed at any moment. */
process.on('message', async (message) => {
  const { verb, assembly, kubeconfig, namespace } = message as Record<'verb' | 'assembly' | 'kubeconfig' | 'namespace', string>;
  const run = verb === 'deploy' ? runDeploy : runDestroy;
  const { summary } = await run(await readAssembly(assembly), { kubeconfig, namespace, concurrency: 8, patience: 60_000 });
  process.exit(summary.exitCode);
});
process.send?.('ready');
