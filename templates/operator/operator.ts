import { type Cluster, Controller, runController } from 'fieldwise/controller';
import { configMap } from 'fieldwise/k8s/core/v1';

/** A Greeting as the API server returns it; crd.yaml defines it. */
export interface Greeting {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly name: string };
}

const apiVersion = 'example.com/v1';
const kind = 'Greeting';

/** Returns the function that brings the objects of one Greeting up to date. It always applies complete intents; the server finds the changes. */
export function greetingReconciler(cluster: Cluster): (greeting: Greeting) => Promise<void> {
  const controller = new Controller(cluster, { manager: 'my-app' });
  return async ({ metadata: { name, namespace, uid, deletionTimestamp }, spec }) => {
    if (deletionTimestamp !== undefined) return; // the garbage collector deletes the ConfigMap
    const text = `Hello, ${spec.name}!`;
    const owner = { apiVersion, kind, name, uid, controller: true };
    await controller.apply(
      configMap(name, namespace)
        .withMetadata({ ownerReferences: [owner] })
        .withData({ text }),
    );
    await controller.applyStatus({ apiVersion, kind, metadata: { name, namespace }, status: { text } }, { uid });
  };
}

/** Reconciles all Greetings until `signal` aborts. */
export function runOperator(cluster: Cluster, signal: AbortSignal): Promise<void> {
  const reconcile = greetingReconciler(cluster);
  return runController({
    cluster,
    signal,
    reconciles: { apiVersion, kind },
    owns: [{ apiVersion: 'v1', kind: 'ConfigMap' }],
    reconcile: (greeting) => reconcile(greeting as unknown as Greeting),
    onError: (error, greeting) => console.error(`${greeting ?? 'watch'}: ${error instanceof Error ? error.message : error}`),
  });
}
