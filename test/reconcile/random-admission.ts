import type { PartialObject } from '../../src/assembly/types.js';
import type { ClusterClient } from '../../src/kubernetes/index.js';
import type { JsonObject } from '../../src/util/json.js';
import type { Random } from '../corpus/random.js';
import { poll } from '../harness/poll.js';
import { type ReviewServer, startReviewServer } from '../harness/review-server.js';
import { boothGroup } from './random-intent.js';

const group = 'admissionregistration.k8s.io';

/** What the random policies of validating admission warn with. */
export const seenText = 'seen by a random policy';

/** Random webhooks and policies, and what the webhooks were asked. */
export class RandomAdmission {
  readonly #server: ReviewServer;
  readonly #asked: Set<string>;
  #probes = 0;

  private constructor(server: ReviewServer, asked: Set<string>) {
    this.#server = server;
    this.#asked = asked;
  }

  static async start(): Promise<RandomAdmission> {
    const asked = new Set<string>();
    const server = await startReviewServer(({ request: { uid, namespace, name } }) => {
      asked.add(`${namespace}/${name}`);
      return { uid, allowed: true };
    });
    return new RandomAdmission(server, asked);
  }

  /** Returns true if a webhook was asked about an object since the last call for it. */
  tookNotice(namespace: string, name: string): boolean {
    return this.#asked.delete(`${namespace}/${name}`);
  }

  /**
   * Replaces the configuration of admission by a random one about a namespace, and waits until it is in effect.
   *
   * @returns what takes it away, and waits until it has no effect any more: the server applies what was deleted for a moment.
   */
  async configure(cluster: ClusterClient, random: Random, namespace: string): Promise<() => Promise<void>> {
    this.#probes += 1;
    const probe = `probe-${this.#probes}`;
    const name = `random-${this.#probes}`;
    const webhook = (own: string, match: JsonObject) => ({
      name: `${own}.example.com`,
      clientConfig: this.#server.clientConfig,
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      ...match,
    });
    const probed = { ...matchOf(namespace, [ruleOf([''], ['configmaps'])]), objectSelector: { matchLabels: { probe } } };
    const [own, alsoOwn] = [randomMatch(random, namespace), random.chance(0.6) ? {} : randomMatch(random, namespace)];
    const objects = [
      { kind: 'ValidatingWebhookConfiguration', metadata: { name }, webhooks: [webhook('own', own), webhook('probe', probed)] },
      ...policyOf(name, randomMatch(random, namespace), alsoOwn, seenText),
      ...policyOf(probe, probed, {}, probe),
    ].map((object) => ({ apiVersion: `${group}/v1`, ...object }) as unknown as PartialObject);
    for (const object of objects) await cluster.apply(await addressOf(cluster, object), object, { manager: 'test', force: true });
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: probe, namespace, labels: { probe } } };
    const noticedBy = async () => {
      const { warnings } = await cluster.apply(await addressOf(cluster, object), object, { manager: 'test', force: true });
      return [this.tookNotice(namespace, probe), warnings.some((text) => text.includes(probe))];
    };
    await poll('the random configuration is in effect', async () => (await noticedBy()).every(Boolean));
    return async () => {
      for (const one of objects) {
        const address = await addressOf(cluster, one);
        const { metadata } = await cluster.get(address);
        await cluster.delete(address, { uid: String((metadata as JsonObject).uid), propagationPolicy: 'Background' });
      }
      await poll('the random configuration has no effect any more', async () => !(await noticedBy()).some(Boolean));
    };
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }
}

function policyOf(name: string, match: JsonObject, binding: JsonObject, message: string) {
  const { rules: resourceRules, ...constraints } = match;
  const { rules, ...limits } = binding;
  return [
    {
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name },
      spec: { failurePolicy: 'Fail', matchConstraints: { ...constraints, resourceRules }, validations: [{ expression: 'false', message }] },
    },
    {
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name },
      spec: { policyName: name, validationActions: ['Warn'], matchResources: { ...limits, ...(rules ? { resourceRules: rules } : {}) } },
    },
  ] as unknown as JsonObject[];
}

function randomMatch(random: Random, namespace: string): JsonObject {
  const rules = Array.from({ length: 1 + random.below(2) }, () =>
    ruleOf(
      random.chance(0.6) ? ['*'] : random.pick([[''], ['apps'], [boothGroup], ['', 'apps'], ['events.k8s.io']]),
      random.chance(0.6)
        ? random.pick([['*'], ['*/*']])
        : random.pick([['configmaps'], ['services', 'deployments'], ['booths/*'], ['booths'], ['*/status'], ['deployments/scale']]),
      random.chance(0.7) ? ['CREATE', 'UPDATE'] : random.pick([['CREATE'], ['UPDATE'], ['DELETE']]),
      random.chance(0.7) ? ['*'] : random.pick([['v1'], ['v2', 'v1beta1']]),
      random.chance(0.7) ? '*' : random.pick(['Namespaced', 'Cluster']),
    ),
  );
  return {
    ...matchOf(namespace, rules),
    matchPolicy: random.pick(['Exact', 'Equivalent']),
    ...(random.chance(0.3) ? { namespaceSelector: { matchLabels: { team: random.pick(['red', 'blue']) } } } : {}),
    ...(random.chance(0.8) ? { objectSelector: randomSelector(random) } : {}),
  };
}

function randomSelector(random: Random): JsonObject {
  const [key, value] = [random.pick(['a', 'b', 'c']), random.pick(['x', 'y'])];
  const expression = (operator: string) => ({
    matchExpressions: [{ key, operator, ...(/In$/.test(operator) ? { values: [value] } : {}) }],
  });
  return random.chance(0.3) ? { matchLabels: { [key]: value } } : expression(random.pick(['In', 'NotIn', 'Exists', 'DoesNotExist']));
}

function matchOf(namespace: string, rules: readonly JsonObject[]): JsonObject {
  return { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } }, rules };
}

function ruleOf(apiGroups: string[], resources: string[], operations = ['*'], apiVersions = ['*'], scope = '*'): JsonObject {
  return { apiGroups, resources, operations, apiVersions, scope };
}

async function addressOf(cluster: ClusterClient, { apiVersion, kind, metadata: { name, namespace } }: PartialObject) {
  const resource = await cluster.resourceOf(apiVersion, kind);
  return { resource, ...(namespace === undefined ? {} : { namespace }), name };
}
