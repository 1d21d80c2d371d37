import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Random } from '../corpus/random.js';
import { liftFaults } from './faults.js';
import type { Blow, Reference } from './wire-campaign.js';

const script = fileURLToPath(new URL('deploy-process.ts', import.meta.url));

/** kill -9 of a deploy, and then of a destroy, at a random moment: before or after the server does a random request. */
export function killAtRandom({ deployRequests, destroyRequests }: Reference, random: Random): Blow {
  const at = { deploy: random.below(deployRequests), destroy: random.below(destroyRequests) };
  const done = random.chance(0.5);
  const delay = random.below(20);
  return {
    text: `kill -9 at request ${at.deploy} of the deploy and ${at.destroy} of the destroy, ${done ? 'after' : 'before'} it is done, ${delay} ms later`,
    async strike({ verb, proxy, namespace, assembly }) {
      const child = fork(script, { execArgv: ['--import', 'tsx'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
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
      child.send({ verb, assembly, kubeconfig: proxy.kubeconfig, namespace });
      await ended(child);
    },
  };
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });
}
