import { ApiServer, type ServerSnapshot } from '../apiserver/index.js';
import { digestOf } from '../assembly/index.js';
import { inProcessClient } from '../entry/in-process.js';
import { metadataOf } from '../fields/object.js';
import { type ClusterClient, isNotFound } from '../kubernetes/index.js';
import { addressOf } from '../kubernetes/object-address.js';
import type { PrunedContainers } from '../merge/index.js';
import { isCrdDocument } from '../schema/index.js';
import { FieldwiseError } from '../util/error.js';
import { stringifyExactJson } from '../util/exact-json.js';
import type { JsonObject } from '../util/json.js';
import { type LocatedSource, readSources, type SourceObject } from './input-objects.js';

/** The state in which a test server starts. */
export interface Preparation {
  readonly crds: readonly LocatedSource[];
  readonly objects: readonly LocatedSource[];
  readonly namespaces: readonly string[];
  /** The namespace of objects without one. */
  readonly namespace: string;
  /** Undefined for the clock of the system. */
  readonly time: Date | undefined;
  readonly prunedContainers: PrunedContainers | undefined;
}

/** The field manager of objects that a test server has when it starts, unless they name their owners. */
export const preloadManager = 'preloaded';

/** More than a suite needs; a process that generates contents without end keeps only the last ones. */
const maxSnapshots = 64;

/** The snapshots of this process by their content, since parsing and compiling CRDs takes longer than anything else (docs/decisions/47). */
const snapshots = new Map<string, Promise<ServerSnapshot>>();

/**
 * Returns the snapshot of a server with this content; it is made once per content and process.
 *
 * @throws FieldwiseError if a file cannot be read, or an object is refused.
 */
export function preparedSnapshot(preparation: Preparation): Promise<ServerSnapshot> {
  const key = digestOf(stringifyExactJson({ ...preparation, time: preparation.time?.toISOString() } as unknown as JsonObject));
  const known = snapshots.get(key);
  if (known !== undefined) return known;
  const made = prepare(preparation);
  snapshots.set(key, made);
  made.catch(() => snapshots.delete(key));
  const [oldest] = snapshots.keys();
  if (snapshots.size > maxSnapshots && oldest !== undefined) snapshots.delete(oldest);
  return made;
}

async function prepare({ time, prunedContainers, namespace, ...content }: Preparation): Promise<ServerSnapshot> {
  const [crds, objects] = await Promise.all([readSources(content.crds), readSources(content.objects)]);
  const api = await ApiServer.create({
    webhooks: false,
    ...(prunedContainers === undefined ? {} : { prunedContainers }),
    ...(time === undefined ? {} : { clock: () => time.getTime() }),
  });
  const client = inProcessClient(api, namespace);
  const ofCrds = definitionsOf(crds);
  const isFirst = ({ object }: SourceObject) => isCrdDocument(object) || isNamespace(object);
  const named = [...content.namespaces, ...(content.namespaces.includes(namespace) ? [] : [namespace])];
  for (const name of named) await add(api, client, namespaceNamed(name));
  for (const one of [...ofCrds, ...objects.filter(isFirst)]) await add(api, client, one);
  for (const one of objects.filter((other) => !isFirst(other))) {
    await addNamespaceOf(api, client, one);
    await add(api, client, one);
  }
  return api.snapshot();
}

/** @throws FieldwiseError `option-invalid` for an object that is not a definition; other documents of a directory are left out. */
function definitionsOf(sources: readonly SourceObject[]): readonly SourceObject[] {
  return sources.filter(({ object, origin, found }) => {
    if (isCrdDocument(object)) return true;
    if (found) return false;
    throw new FieldwiseError(
      'option-invalid',
      'usage',
      `The option \`crds\` contains a ${String(object.kind)}, not a CustomResourceDefinition`,
      {
        location: { file: origin },
        next: 'Pass it as one of `objects`.',
      },
    );
  });
}

function isNamespace({ apiVersion, kind }: JsonObject): boolean {
  return apiVersion === 'v1' && kind === 'Namespace';
}

function namespaceNamed(name: string): SourceObject {
  return { object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, origin: 'the option `namespaces`', found: false };
}

async function addNamespaceOf(api: ApiServer, client: ClusterClient, { object, origin, found }: SourceObject): Promise<void> {
  const { namespace } = metadataOf(object);
  if (namespace === undefined || namespace === client.defaultNamespace) return;
  const { object: wanted } = namespaceNamed(namespace);
  if ((await client.tryGet(await addressOf(client, wanted))) === undefined) await add(api, client, { object: wanted, origin, found });
}

/**
 * Adds an object. One that names its owners, as `kubectl get --show-managed-fields` prints it, is stored as it is; another one is applied,
 * and its status, too.
 */
async function add(api: ApiServer, client: ClusterClient, { object, origin }: SourceObject): Promise<void> {
  try {
    const address = await addressOf(client, object);
    const { managedFields, ...metadata } = metadataOf(object);
    if (managedFields !== undefined && !isCrdDocument(object)) {
      api.load({ ...object, metadata: { ...metadata, managedFields, ...namespaceIn(address.namespace) } });
      return;
    }
    const { uid: _, resourceVersion: __, creationTimestamp: ___, generation: ____, selfLink: _____, ...declared } = metadata;
    const whole = { ...object, metadata: declared };
    const options = { manager: preloadManager, force: true };
    await client.apply(address, whole, options);
    if (object.status === undefined || isCrdDocument(object)) return;
    await client.apply(address, whole, { ...options, subresource: 'status' }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error; // Without the subresource, the status is a field like any other.
    });
  } catch (cause) {
    throw refused(object, origin, cause);
  }
}

function namespaceIn(namespace: string | undefined): { readonly namespace?: string } {
  return namespace === undefined ? {} : { namespace };
}

function refused({ kind, metadata }: JsonObject, origin: string, cause: unknown): FieldwiseError {
  const { name = '', namespace } = metadataOf({ metadata });
  const object = `${String(kind)} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new FieldwiseError('option-invalid', 'usage', `The test server refuses an object that it is to start with: ${reason}`, {
    location: { file: origin, object },
    next: 'Correct the object; the message is that of the API server.',
    cause,
  });
}
