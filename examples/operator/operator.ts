import { type Cluster, Controller, type ReconcileResult, reconcileWithConditions, runController } from 'fieldwise/controller';
import { deployment } from 'fieldwise/k8s/apps/v1';
import { configMap, service, serviceAccount } from 'fieldwise/k8s/core/v1';
import { role, roleBinding } from 'fieldwise/k8s/rbac/v1';
import { shopStatus } from './imports/shop.example.com/v1.js';

/** A Shop as the API server returns it. */
export interface Shop {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly image: string; readonly replicas: number };
}

const apiVersion = 'shop.example.com/v1';
const finalizer = 'shop.example.com/directory';
const directory = 'shop-directory';
const rbac = 'rbac.authorization.k8s.io';

/** Creates the objects of one Shop, or removes it: each time all intents are applied completely, and the server determines the changes. */
export function shopReconciler(cluster: Cluster): (shop: Shop) => Promise<unknown> {
  const controller = new Controller(cluster, { manager: 'shop-operator' });
  // One manager per entry of the directory, so that reconciles of several shops at the same time are independent.
  const entryOf = ({ metadata }: Shop) => new Controller(cluster, { manager: `shop-operator/${metadata.uid}` });

  async function serve(shop: Shop): Promise<ReconcileResult> {
    const { name, namespace } = shop.metadata;
    const held = await controller.addFinalizer({ apiVersion, kind: 'Shop', ...shop }, finalizer);
    // Without the finalizer, the shop would stay in the directory after its deletion.
    if (held.outcome === 'absent' || held.outcome === 'skipped') return { state: 'reconciling', reason: 'Deleting' };
    for (const object of rightsOf(shop)) await controller.apply(object);
    await controller.apply(serviceOf(shop));
    await entryOf(shop).apply(configMap(directory, namespace).withData({ [name]: addressOf(shop) }));
    const { object } = await controller.apply(deploymentOf(shop));
    const available = Number((object.status as { availableReplicas?: number } | undefined)?.availableReplicas ?? 0);
    const status = { address: addressOf(shop) };
    if (available < shop.spec.replicas) {
      return { state: 'reconciling', reason: 'Starting', message: `${available} of ${shop.spec.replicas} replicas are available`, status };
    }
    return { state: 'ready', reason: 'Serving', message: `All ${shop.spec.replicas} replicas are available`, status };
  }

  async function leave(shop: Shop): Promise<void> {
    const { namespace } = shop.metadata;
    const live = await controller.read({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: directory, namespace } });
    // An empty intent releases the entry. The uid prevents the apply from creating a deleted directory again.
    if (live) await entryOf(shop).apply(configMap(directory, namespace), { uid: uidOf(live) });
    await controller.removeFinalizer({ apiVersion, kind: 'Shop', ...shop }, finalizer);
  }

  const keep = reconcileWithConditions(controller, shopStatus, serve);
  return (shop) => (shop.metadata.deletionTimestamp === undefined ? keep(shop) : leave(shop));
}

/** Runs until `signal` aborts. */
export function runShopOperator(cluster: Cluster, namespace: string, signal: AbortSignal, log: (line: string) => void): Promise<void> {
  const reconcile = shopReconciler(cluster);
  return runController({
    cluster,
    namespace,
    signal,
    reconciles: { apiVersion, kind: 'Shop' },
    owns: [{ apiVersion: 'apps/v1', kind: 'Deployment' }],
    reconcile: (shop) => reconcile(shop as unknown as Shop),
    onError: (error, shop) => log(`${shop ?? 'watch'}: ${error instanceof Error ? error.message : error}`),
  });
}

const uidOf = ({ metadata }: object & { metadata?: unknown }) => (metadata as { uid: string }).uid;

const addressOf = ({ metadata: { name, namespace } }: Shop) => `${name}.${namespace}.svc`;

const labels = (shop: Shop) => ({ 'app.kubernetes.io/name': 'shop', 'app.kubernetes.io/instance': shop.metadata.name });

/** Owner references: the garbage collector deletes these objects after the Shop. */
const owned = ({ metadata: { name, namespace, uid } }: Shop) => ({
  name,
  namespace,
  ownerReferences: [{ apiVersion, kind: 'Shop', name, uid, controller: true }],
});

function deploymentOf(shop: Shop) {
  const { image, replicas } = shop.spec;
  const { name, namespace } = shop.metadata;
  return deployment(name, namespace)
    .withMetadata(owned(shop))
    .withSpec({
      replicas,
      selector: { matchLabels: labels(shop) },
      template: {
        metadata: { labels: labels(shop) },
        spec: { serviceAccountName: name, containers: [{ name: 'shop', image, ports: [{ containerPort: 8080 }] }] },
      },
    });
}

function serviceOf(shop: Shop) {
  const { name, namespace } = shop.metadata;
  return service(name, namespace)
    .withMetadata(owned(shop))
    .withSpec({ selector: labels(shop), ports: [{ port: 80, targetPort: 8080 }] });
}

/** A shop may read the directory of all shops. */
function rightsOf(shop: Shop) {
  const { name, namespace } = shop.metadata;
  const metadata = owned(shop);
  return [
    serviceAccount(name, namespace).withMetadata(metadata),
    role(name, namespace)
      .withMetadata(metadata)
      .withRules([{ apiGroups: [''], resources: ['configmaps'], resourceNames: [directory], verbs: ['get'] }]),
    roleBinding(name, namespace)
      .withMetadata(metadata)
      .withRoleRef({ apiGroup: rbac, kind: 'Role', name })
      .withSubjects([{ kind: 'ServiceAccount', name, namespace }]),
  ];
}
