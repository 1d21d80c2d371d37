import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Strategy } from '../../src/assembly/policy-vocabulary.js';
import type { Random } from '../corpus/random.js';
import { cacheDirectory } from '../harness/binaries.js';
import { TestCluster } from '../harness/cluster.js';
import { InterceptionProxy } from '../harness/interception-proxy.js';
import { startOwnServer } from '../harness/start-own-server.js';
import { runDeploy } from './engine.js';
import { CampaignRounds } from './wire-campaign.js';

/**
 * The real API server is killed in the middle of a deploy and started again on its data. The deploy waits for it and ends well, with its
 * lock kept; all that a fault must not change is as it was.
 */
export async function restartCampaign(below: string, name: string, strategy: Strategy, random: Random): Promise<string[]> {
  const directory = mkdtempSync(join(below, 'server-'));
  const binary = join(cacheDirectory(process.env), 'apiserver');
  let server = await startOwnServer(binary, directory);
  const proxy = await InterceptionProxy.start(new TestCluster(server.kubeconfig).client, join(directory, 'proxy.kubeconfig'));
  let up = true;
  try {
    const rounds = await CampaignRounds.prepare(new TestCluster(server.kubeconfig), proxy, name, strategy);
    const at = random.below(rounds.reference.deployRequests);
    const problems: string[] = [];
    const found = await rounds.round({
      text: 'restart',
      async inject({ verb, run, namespace }) {
        if (verb === 'destroy') return void (await run());
        let restarted: Promise<void> | undefined;
        let locked = -1;
        proxy.onRequest = (request) => {
          const index = proxy.requests.indexOf(request);
          if (locked < 0 && request.method !== 'GET' && request.path.includes('/leases')) locked = index;
          // Before it has its lock, a run gives up dropped connections after a few seconds, with nothing changed.
          if (locked >= 0 && index >= Math.max(at, locked)) restarted ??= restart();
          return up ? undefined : 'drop';
        };
        const { summary } = await runDeploy(rounds.assembly, {
          kubeconfig: proxy.kubeconfig,
          namespace,
          strategy,
          retryTimeoutMs: 180_000,
        });
        await restarted;
        if (!summary.ok) problems.push(`the deploy did not outlive the restart: ${JSON.stringify(summary)}`);
      },
    });
    return [...problems, ...found].map((problem) => `restart at request ${at}: ${problem}`);

    async function restart(): Promise<void> {
      up = false;
      for (const daemon of server.daemons) {
        daemon.kill();
        await daemon.stop();
      }
      rmSync(server.kubeconfig);
      server = await startOwnServer(binary, directory);
      const cluster = new TestCluster(server.kubeconfig);
      proxy.upstream = cluster.client;
      rounds.cluster = cluster;
      up = true;
    }
  } finally {
    await proxy.stop();
    for (const daemon of server.daemons) await daemon.stop();
  }
}
