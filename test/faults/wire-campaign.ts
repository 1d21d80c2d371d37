import type { Strategy } from '../../src/assembly/policy-vocabulary.js';
import type { Assembly } from '../../src/assembly/types.js';
import type { ResponseBody } from '../harness/api-client.js';
import type { TestCluster } from '../harness/cluster.js';
import type { InterceptionProxy } from '../harness/interception-proxy.js';
import { type EngineOptions, type EngineRun, errorsOf, runDeploy, runDestroy } from './engine.js';
import { type Fault, faults, injectFault, liftFaults } from './faults.js';
import { after, before, synthesized } from './programs.js';
import { differences, foreignChanges, Scene } from './scene.js';

/** The result of a run without faults, and its number of requests. */
export interface Reference {
  readonly deployed: Record<string, ResponseBody>;
  readonly destroyed: Record<string, ResponseBody>;
  readonly deployRequests: number;
  readonly destroyRequests: number;
}

/** A verb that is to be struck. */
export interface CampaignTarget {
  readonly verb: 'deploy' | 'destroy';
  /** Does it, through the proxy. */
  run(): Promise<EngineRun>;
  readonly proxy: InterceptionProxy;
  readonly namespace: string;
  /** Directory of the assembly. */
  readonly assembly: string;
  readonly strategy: Strategy;
}

/** Something that strikes while a verb runs. */
export interface FaultInjection {
  readonly text: string;
  inject(target: CampaignTarget): Promise<void>;
}

/** The 40 objects on one server, deployed and destroyed under faults, again and again. */
export class CampaignRounds {
  #number = 0;
  #reference: Reference | undefined;

  private constructor(
    /** Another one after a restart. */
    public cluster: TestCluster,
    readonly proxy: InterceptionProxy,
    readonly namespaces: string,
    readonly old: Assembly,
    readonly assembly: Assembly,
    readonly directory: string,
    readonly strategy: Strategy,
  ) {}

  /** Of a run without faults. */
  get reference(): Reference {
    if (!this.#reference) throw new Error('there was no run without faults yet');
    return this.#reference;
  }

  static async prepare(cluster: TestCluster, proxy: InterceptionProxy, app: string, strategy: Strategy): Promise<CampaignRounds> {
    const { assembly: old } = await synthesized(app, before);
    const { assembly, directory } = await synthesized(app, after);
    const rounds = new CampaignRounds(cluster, proxy, app, old, assembly, directory, strategy);
    const problems = await rounds.round({ text: 'no fault', inject: async ({ run }) => void (await run()) });
    if (problems.length > 0) throw new Error(`without faults:\n${problems.join('\n')}`);
    return rounds;
  }

  /** The same through another proxy, to go on beside this one. */
  beside(proxy: InterceptionProxy, number: number): CampaignRounds {
    const { cluster, old, assembly, directory, strategy } = this;
    const rounds = new CampaignRounds(cluster, proxy, `${this.namespaces}-${number}`, old, assembly, directory, strategy);
    rounds.#reference = this.reference;
    return rounds;
  }

  /** One round under a blow; the first, without one, becomes the reference. @returns what is wrong. */
  async round(blow: FaultInjection): Promise<string[]> {
    const scene = new Scene(() => this.cluster, `${this.namespaces}-${++this.#number}`);
    const { strategy } = this;
    const { namespace } = scene;
    const direct: EngineOptions = { kubeconfig: this.cluster.kubeconfig, namespace, strategy, concurrency: 8, retryTimeoutMs: 60_000 };
    const through: EngineOptions = { kubeconfig: this.proxy.kubeconfig, namespace, strategy };
    liftFaults(this.proxy);
    await scene.furnish();
    const problems = errorsOf('the old version', await runDeploy(this.old, direct));
    await scene.disturb();
    const foreign = await scene.foreignFields();

    const target = { proxy: this.proxy, namespace, strategy, assembly: this.directory };
    await blow.inject({ ...target, verb: 'deploy', run: () => runDeploy(this.assembly, through) });
    const deployRequests = this.proxy.requests.length;
    liftFaults(this.proxy);
    problems.push(...foreignChanges(foreign, await scene.foreignFields()).map((harm) => `after the deploy that was struck: ${harm}`));
    if (this.#reference) problems.push(...errorsOf('the deploy after it', await runDeploy(this.assembly, { ...direct, waitLock: 30 })));
    const deployed = await scene.state();
    problems.push(...foreignChanges(foreign, await scene.foreignFields()).map((harm) => `after the deploy: ${harm}`));

    liftFaults(this.proxy);
    await blow.inject({ ...target, verb: 'destroy', run: () => runDestroy(this.assembly, through) });
    const destroyRequests = this.proxy.requests.length;
    liftFaults(this.proxy);
    if (this.#reference) problems.push(...errorsOf('the destroy after it', await runDestroy(this.assembly, { ...direct, waitLock: 30 })));
    const destroyed = await scene.state();
    const remaining = new Map([...foreign].filter(([field]) => !isRemovedWithOwnedField(field)));
    problems.push(...foreignChanges(remaining, await scene.foreignFields()).map((harm) => `after the destroy: ${harm}`));

    if (this.#reference) {
      problems.push(...differences(this.#reference.deployed, deployed).map((text) => `deployed ${text}`));
      problems.push(...differences(this.#reference.destroyed, destroyed).map((text) => `destroyed ${text}`));
    } else if (problems.length === 0) {
      this.#reference = { deployed, destroyed, deployRequests, destroyRequests };
    }
    return problems;
  }
}

/** A fault at one request of the deploy and at one of the destroy. */
function faultAt(fault: Fault, at: { readonly deploy: number; readonly destroy: number }): FaultInjection {
  return {
    text: `${fault} at request ${at.deploy} of the deploy and ${at.destroy} of the destroy`,
    async inject({ verb, run, proxy }) {
      injectFault(proxy, fault, at[verb]);
      await run();
    },
  };
}

/** Every fault at every request. */
export function everyFault({ deployRequests, destroyRequests }: Reference): FaultInjection[] {
  const most = Math.max(deployRequests, destroyRequests);
  return faults.flatMap((fault) =>
    Array.from({ length: most }, (_, index) => faultAt(fault, { deploy: index % deployRequests, destroy: index % destroyRequests })),
  );
}

/** Updates by others, and what they apply to metadata alone, go with the object that we own; an intent beyond that keeps it. */
function isRemovedWithOwnedField(field: string): boolean {
  return field.startsWith('Deployment ');
}
