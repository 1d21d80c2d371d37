import { groupOf, objectText } from '../../../assembly/identity.js';
import { addressOf } from '../../../engine/addresses/address.js';
import { applySetAnnotations, applySetIdOf, ownTooling, parentIdLabel, parentTypeLabel } from '../../../engine/pruners/apply-set.js';
import { isTerminating, metadataOf, uidOf } from '../../../fields/object.js';
import { objectNamed } from '../../../inspect/owners/select-objects.js';
import { type ClusterClient, customResourceDefinitions, type ObjectAddress } from '../../../kubernetes/index.js';
import { FieldwiseError } from '../../../util/error.js';
import type { JsonObject } from '../../../util/json.js';
import { type ApplySetScope, readScope } from './apply-set-scope.js';

/** An ApplySet of kubectl, as its parent records it. */
export interface ApplySet {
  /** The parent as text, such as `Secret shop/web`. */
  readonly object: string;
  readonly address: ObjectAddress;
  readonly uid: string;
  /** The value of the label of its members. */
  readonly id: string;
  /** The annotations of the record that the parent has. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The parent as it was read, without its data. */
  readonly parent: JsonObject;
  readonly scope: ApplySetScope;
}

/**
 * Finds an ApplySet by its parent, named as in kubectl: `web` or `secrets/web`, `configmaps/web`, `things.example.com/web`.
 *
 * @throws FieldwiseError `applyset-unknown`, `applyset-invalid`, `applyset-of-other-tool`, `kind-unknown`, `kind-ambiguous`, `api-unavailable`.
 */
export async function findApplySet(cluster: ClusterClient, reference: string): Promise<ApplySet> {
  const served = await cluster.listResources();
  const slash = reference.indexOf('/');
  const [kind, name] = slash < 0 ? ['secrets', reference] : [reference.slice(0, slash), reference.slice(slash + 1)];
  if (kind === '' || name === '' || name.includes('/')) throw referenceError(reference);
  const identity = objectNamed(cluster, served, kind, name);
  const address = await addressOf(cluster, identity);
  const object = objectText({ ...identity, namespace: address.namespace });
  const live = await cluster.tryGet(address);
  if (live === undefined) throw unknownError(object, 'it does not exist');
  const { labels, annotations } = metadataOf(live);
  const id = labels?.[parentIdLabel];
  if (id === undefined) throw unknownError(object, `it has no label ${parentIdLabel}`);
  const expected = applySetIdOf({ ...identity, namespace: address.namespace });
  if (id !== expected) {
    throw invalidError(object, `its label ${parentIdLabel} is ${id}, but its name, namespace and kind give ${expected}`);
  }
  if (isTerminating(live)) throw invalidError(object, 'it is being deleted');
  await requireParentType(cluster, address, object);
  requireKubectl(annotations?.[applySetAnnotations.tooling], object);
  const record = Object.fromEntries(
    Object.values(applySetAnnotations).flatMap((key) => (annotations?.[key] === undefined ? [] : [[key, annotations[key]] as const])),
  );
  const scope = readScope(record, {
    served,
    namespace: address.namespace,
    server: cluster.server,
    fail: (why) => invalidError(object, why),
  });
  return { object, address, uid: uidOf(live), id, annotations: record, parent: { metadata: live.metadata as JsonObject }, scope };
}

/** Refuses the objects of kinds that kubectl does not accept as parents either. */
async function requireParentType(cluster: ClusterClient, { resource }: ObjectAddress, object: string): Promise<void> {
  if (resource.apiVersion === 'v1' && (resource.kind === 'Secret' || resource.kind === 'ConfigMap')) return;
  const name = `${resource.plural}.${groupOf(resource.apiVersion)}`;
  const definition = await cluster.tryGet({ resource: customResourceDefinitions, name });
  if (metadataOf(definition).labels?.[parentTypeLabel] !== undefined) return;
  throw invalidError(object, `no CustomResourceDefinition ${name} has the label ${parentTypeLabel}`);
}

/** Refuses the sets of other tools. A set that an interrupted takeover left is taken over. */
function requireKubectl(tooling: string | undefined, object: string): void {
  if (tooling === undefined) throw invalidError(object, `it has no annotation ${applySetAnnotations.tooling}`);
  const end = tooling.lastIndexOf('/');
  if (tooling === ownTooling || (end < 0 ? tooling : tooling.slice(0, end)) === 'kubectl') return;
  throw new FieldwiseError('applyset-of-other-tool', 'usage', `The ApplySet belongs to ${tooling}, not to kubectl`, {
    location: { object },
    next: 'Remove the objects from that tool as its documentation describes. Nothing was changed.',
  });
}

function referenceError(reference: string): FieldwiseError {
  return new FieldwiseError('applyset-unknown', 'usage', `${reference} does not name the parent of an ApplySet`, {
    next: 'Name it as in kubectl: NAME for a Secret, configmaps/NAME, or RESOURCE.GROUP/NAME; -n selects the namespace.',
  });
}

function unknownError(object: string, why: string): FieldwiseError {
  return new FieldwiseError('applyset-unknown', 'usage', `This is not the parent of an ApplySet: ${why}`, {
    location: { object },
    next: `Name the object of --applyset as in kubectl, and its namespace with -n; \`kubectl get secrets,configmaps -A -l ${parentIdLabel}\` lists parents.`,
  });
}

function invalidError(object: string, why: string): FieldwiseError {
  return new FieldwiseError('applyset-invalid', 'usage', `The ApplySet cannot be taken over: ${why}`, {
    location: { object },
    next: 'Nothing was changed. kubectl does not accept such a parent either: correct it, or run kubectl apply with the set once more.',
  });
}
