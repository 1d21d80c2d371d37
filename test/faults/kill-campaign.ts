import { fork } from 'node:child_process';
import type { Random } from '../corpus/random.js';
import { exitOf } from '../harness/process.js';
import { liftFaults } from './faults.js';
import type { FaultInjection, Reference } from './wire-campaign.js';

/**
 * kill -9 of a deploy, and then of a destroy, at a random moment: before or after the server does a random request.
 *
 * @param script the bundle of `deploy-process.ts`.
 */
export function killAtRandom(script: string, { deployRequests, destroyRequests }: Reference, random: Random): FaultInjection {
  const at = { deploy: random.below(deployRequests), destroy: random.below(destroyRequests) };
  const done = random.chance(0.5);
  const delay = random.below(20);
  return {
    text: `kill -9 at request ${at.deploy} of the deploy and ${at.destroy} of the destroy, ${done ? 'after' : 'before'} it is done, ${delay} ms later`,
    async inject({ verb, proxy, namespace, assembly, strategy }) {
      const child = fork(script, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
      await new Promise((resolve, reject) => child.once('message', resolve).once('exit', reject));
      liftFaults(proxy);
      const kill = () => setTimeout(() => child.kill('SIGKILL'), delay);
      const isIt = (request: object) => proxy.requests.indexOf(request as never) === at[verb];
      proxy.onRequest = (request) => {
        if (!done && isIt(request)) kill();
        return undefined;
      };
      proxy.onResponse = (request) => {
        if (done && isIt(request)) kill();
      };
      child.send({ verb, assembly, kubeconfig: proxy.kubeconfig, namespace, strategy });
      await exitOf(child);
      if (child.exitCode !== null && child.exitCode !== 0) throw new Error(`the ${verb} was not killed, but failed of itself`);
    },
  };
}
