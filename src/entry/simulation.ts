import { ApiServer } from '../apiserver/index.js';
import type { Simulation } from '../deploy/index.js';
import { thisMachine } from '../util/machine.js';
import { inProcessClient } from './in-process.js';

/** Starts an API server in this process for the requests of a plan that the real server cannot or must not run. */
export async function startSimulation(defaultNamespace: string, serverVersion: string, machine = thisMachine): Promise<Simulation> {
  const server = await ApiServer.create({
    machine,
    prunedContainers: prunedContainersOf(serverVersion),
    controllers: false,
    webhooks: false,
  });
  return {
    cluster: inProcessClient(server, defaultNamespace, machine),
    load: (object) => server.load(object),
    unload: (object) => server.unload(object),
    wouldBeNoop: (live, intent, manager) => server.wouldBeNoop(live, intent, manager),
  };
}

/** The behavior changed between 1.36.2 and 1.36.3. Source: observed. */
function prunedContainersOf(version: string): 'keep-empty' | 'null' {
  const [major = 0, minor = 0, patch = 0] = (/^v?(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []).slice(1).map(Number);
  return major > 1 || minor > 36 || (minor === 36 && patch >= 3) ? 'null' : 'keep-empty';
}
