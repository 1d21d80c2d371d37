import { isDeepStrictEqual } from 'node:util';
import type { ResponseBody } from '../harness/api-client.js';
import { type ObjectRef, ref, type TestCluster } from '../harness/cluster.js';
import { fieldRows } from '../harness/field-rows.js';
import { config, service } from './programs.js';

const kinds = [
  ['v1', 'ConfigMap'],
  ['v1', 'Secret'],
  ['v1', 'Service'],
  ['v1', 'ServiceAccount'],
  ['apps/v1', 'Deployment'],
  ['rbac.authorization.k8s.io/v1', 'Role'],
  ['coordination.k8s.io/v1', 'Lease'],
] as const;

/** Fields that our program takes from others by force: only they may change hands. */
const contested: readonly string[] = [
  'ConfigMap foreign-1 .data.contested',
  'ConfigMap kept-3 .data.a',
  'ConfigMap comes-0 .data.a',
  'Deployment deployment-0 .spec.replicas',
];

/** A namespace in which others work, too. */
export class Scene {
  readonly #cluster: () => TestCluster;

  constructor(
    cluster: () => TestCluster,
    readonly namespace: string,
  ) {
    this.#cluster = cluster;
  }

  /** The namespace, and what others have in it before our program comes. */
  async furnish(): Promise<void> {
    await this.#cluster().create('somebody', ref('v1', 'Namespace', this.namespace));
    for (let index = 0; index < 4; index++) {
      await this.#apply('platform', config(`foreign-${index}`, { theirs: 'here', ...(index === 1 ? { contested: 'theirs' } : {}) }));
    }
    for (let index = 0; index < 2; index++) await this.#apply('platform', service(`foreign-service-${index}`, 80, 'theirs'));
  }

  /**
   * Makes the changes of others between the two versions: co-own, take, scale, add, and create an object that the new version wants to
   * create.
   */
  async disturb(): Promise<void> {
    for (let index = 0; index < 3; index++) await this.#apply('team', config(`kept-${index}`, { theirs: 'here' }));
    await this.#apply('team', config('kept-3', { a: 'theirs' }), true);
    await this.#apply('team', config('kept-4', { b: 'theirs' }), true);
    await this.#apply('team', config('goes-0', { theirs: 'here' }));
    await this.#apply('team', config('comes-0', { a: 'theirs', theirs: 'here' }));
    await this.#apply('platform', config('foreign-1', { theirs: 'here', contested: 'theirs' }), true);
    await this.#apply('team', service('service-0', 9090, 'metrics'));
    const deployment = ref('apps/v1', 'Deployment', 'deployment-0', this.namespace);
    await this.#cluster().patch('scaler', deployment, { spec: { replicas: 5 } });
    const metadata = { name: 'deployment-1', annotations: { mesh: 'here' } };
    await this.#apply('mesh', { apiVersion: 'apps/v1', kind: 'Deployment', metadata });
  }

  /** All objects as a run leaves them, without what differs between two equal runs. */
  async state(): Promise<Record<string, ResponseBody>> {
    const objects = await this.#objects();
    return Object.fromEntries(objects.map((object) => [`${object.kind} ${object.metadata.name}`, normalized(object, this.namespace)]));
  }

  /** Every field that somebody else owns, with its value and its foreign owners. */
  async foreignFields(): Promise<Map<string, { value: ResponseBody; owners: readonly string[] }>> {
    const rows = new Map<string, { value: ResponseBody; owners: readonly string[] }>();
    for (const object of await this.#objects()) {
      for (const { path, value, owners } of fieldRows(object)) {
        const foreign = owners.filter((owner) => !owner.startsWith('fieldwise'));
        if (foreign.length > 0) rows.set(`${object.kind} ${object.metadata.name} ${path}`, { value, owners: foreign });
      }
    }
    return rows;
  }

  async #objects(): Promise<ResponseBody[]> {
    const lists = await Promise.all(
      kinds.map(async ([apiVersion, kind]) =>
        (await this.#cluster().list(apiVersion, kind, this.namespace)).map((object) => ({ ...object, apiVersion, kind })),
      ),
    );
    return lists.flat();
  }

  #apply(manager: string, object: object, force = false): Promise<ResponseBody> {
    const { metadata, ...content } = object as ObjectRef;
    return this.#cluster().apply(manager, { ...content, metadata: { ...metadata, namespace: this.namespace } } as ObjectRef, { force });
  }
}

type ForeignFields = Awaited<ReturnType<Scene['foreignFields']>>;

/** Foreign fields that changed value or lost an owner, although nothing takes them. */
export function foreignChanges(before: ForeignFields, after: ForeignFields): string[] {
  return [...before].flatMap(([field, { value, owners }]) => {
    if (contested.some((taken) => field === taken)) return [];
    const now = after.get(field);
    const same = now !== undefined && isDeepStrictEqual(now.value, value) && owners.every((owner) => now.owners.includes(owner));
    return same ? [] : [`${field}: was ${JSON.stringify({ value, owners })}, is ${JSON.stringify(now)}`];
  });
}

/** Where two states differ, for a person. */
export function differences(expected: Record<string, ResponseBody>, actual: Record<string, ResponseBody>): string[] {
  return [...new Set([...Object.keys(expected), ...Object.keys(actual)])].flatMap((name) =>
    isDeepStrictEqual(expected[name], actual[name])
      ? []
      : [`${name}:\n    expected ${JSON.stringify(expected[name])}\n    actual   ${JSON.stringify(actual[name])}`],
  );
}

function normalized(object: ResponseBody, namespace: string): ResponseBody {
  const { uid: _, resourceVersion: __, creationTimestamp: ___, generation: ____, managedFields, ...metadata } = object.metadata;
  const entries = (managedFields ?? []).map(({ time: _time, ...entry }: ResponseBody) => entry);
  const data = typeof object.data?.entries === 'string' ? { ...object.data, entries: normalizedEntries(object.data.entries) } : object.data;
  const spec = object.kind === 'Lease' ? { holderIdentity: object.spec.holderIdentity } : object.spec; // the others say when, and how many runs there were
  const plain = { ...object, data, spec, metadata: { ...metadata, managedFields: entries.sort(byText) } };
  if (typeof data?.key === 'string') plain.data = { key: 'KEY' }; // The key of the digests, which differs between runs.
  if (object.kind === 'Service') plain.spec = { ...object.spec, clusterIP: 'some', clusterIPs: ['some'] };
  const text = JSON.stringify(plain).replaceAll(namespace, 'NAMESPACE');
  return JSON.parse(text.replaceAll(/fieldwise\.dev\/hmac:[0-9a-f]+:[0-9a-f]+/g, 'DIGEST')); // the strategy dynamic's memory of Secrets
}

/** Of an inventory: what it knows, without the uids and versions of this very run. */
function normalizedEntries(text: string): ResponseBody[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      // The digest of the intent tells namespaces apart; what was taken from whom is of the last run alone.
      const { uid, resourceVersion: _, appliedAt: __, intent: ___, contention: ____, ...entry } = JSON.parse(line);
      // A repeated deploy notes what it has seen to change nothing.
      const { schema: _____, noopFingerprint: ______, ...known } = entry;
      return { ...known, pending: uid === undefined };
    })
    .sort(byText);
}

function byText(left: unknown, right: unknown): number {
  return JSON.stringify(left) < JSON.stringify(right) ? -1 : 1;
}
