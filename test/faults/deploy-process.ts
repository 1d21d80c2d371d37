import { readAssembly } from '../../src/assembly/index.js';
import { type EngineOptions, runDeploy, runDestroy } from './engine.js';

/** Asked by its parent, deploys or destroys an assembly; to be killed at any moment. */
process.on('message', async (message) => {
  const { verb, assembly, ...options } = message as { verb: string; assembly: string } & Pick<
    EngineOptions,
    'kubeconfig' | 'namespace' | 'strategy'
  >;
  const run = verb === 'deploy' ? runDeploy : runDestroy;
  const { summary } = await run(await readAssembly(assembly), { ...options, concurrency: 8, retryTimeoutMs: 60_000 });
  process.exit(summary.exitCode);
});
process.send?.('ready');
