import { isJsonObject, type JsonObject } from '../../../util/json.js';

/** A request of a simulated controller. */
export interface SimulatedRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: JsonObject;
  /** Media type of the body; JSON unless it is a patch. */
  readonly contentType?: string;
  /** The field manager, such as `kube-controller-manager`. */
  readonly manager: string;
}

/** Sends the requests of simulated controllers, to the embedded server or to another one. */
export interface SimulatedClient {
  send(request: SimulatedRequest): Promise<{ readonly code: number; readonly body: unknown }>;
}

/** The names of a resource whose objects the controllers write. */
export interface SimulatedResource {
  readonly apiVersion: string;
  readonly kind: string;
  /** Name in the store, such as `apps/deployments`. */
  readonly store: string;
}

export const resources = {
  Pod: { apiVersion: 'v1', kind: 'Pod', store: '/pods' },
  Node: { apiVersion: 'v1', kind: 'Node', store: '/nodes' },
  Event: { apiVersion: 'v1', kind: 'Event', store: '/events' },
  ConfigMap: { apiVersion: 'v1', kind: 'ConfigMap', store: '/configmaps' },
  ServiceAccount: { apiVersion: 'v1', kind: 'ServiceAccount', store: '/serviceaccounts' },
  PersistentVolumeClaim: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', store: '/persistentvolumeclaims' },
  Deployment: { apiVersion: 'apps/v1', kind: 'Deployment', store: 'apps/deployments' },
  ReplicaSet: { apiVersion: 'apps/v1', kind: 'ReplicaSet', store: 'apps/replicasets' },
  StatefulSet: { apiVersion: 'apps/v1', kind: 'StatefulSet', store: 'apps/statefulsets' },
  DaemonSet: { apiVersion: 'apps/v1', kind: 'DaemonSet', store: 'apps/daemonsets' },
  ControllerRevision: { apiVersion: 'apps/v1', kind: 'ControllerRevision', store: 'apps/controllerrevisions' },
  Job: { apiVersion: 'batch/v1', kind: 'Job', store: 'batch/jobs' },
} as const satisfies Readonly<Record<string, SimulatedResource>>;

/** Returns the path of a collection, or of one of its objects. */
export function pathOf({ apiVersion, store }: SimulatedResource, namespace: string, name?: string): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const plural = store.slice(store.indexOf('/') + 1);
  return `${root}${namespace === '' ? '' : `/namespaces/${namespace}`}/${plural}${name === undefined ? '' : `/${name}`}`;
}

/** A rejection by the server, which a controller reports or tries again; it reaches no caller. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest';

  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Sends a request, and returns the object that the server returns. @throws RefusedRequest */
export async function request(client: SimulatedClient, sent: SimulatedRequest): Promise<JsonObject> {
  const { code, body } = await client.send(sent);
  const object = isJsonObject(body) ? body : {};
  if (code >= 400) throw new RefusedRequest(code, String(object.message ?? `status ${code}`));
  return object;
}
