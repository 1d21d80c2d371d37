import { groupOf, type ObjectIdentity } from '../../assembly/identity.js';
import type { Assembly } from '../../assembly/types.js';
import { isCrd } from '../../engine/addresses/wait-for-established.js';
import { admissionGroup, admissionResources } from '../../engine/apply/skip/observers/admission-kinds.js';
import { hasLimitRanges } from '../../engine/apply/skip/observers/quota-observers.js';
import { intentStepsOf, type Step } from '../../engine/graph/waves.js';
import { findInventory } from '../../engine/inventory/former-inventories.js';
import { type InventoryEntry, writeEntry } from '../../engine/inventory/inventory-entry.js';
import { type Inventory, InventoryStore, type StackIdentity } from '../../engine/inventory/inventory-store.js';
import { defaultInventoryNamespace } from '../../engine/inventory/namespace.js';
import { requireSameProgram, unknownProgramWarning } from '../../engine/inventory/program-id.js';
import { undeclaredEntries } from '../../engine/inventory/undeclared-entries.js';
import { isOfOthers } from '../../engine/object/unmanaged-contents.js';
import { effectiveSteps } from '../../engine/prepare/effective-strategy.js';
import { selectStacks } from '../../engine/prepare/select-stacks.js';
import { hasPods } from '../../engine/readiness/causes/newest-pods.js';
import { findUndeclaredStacks } from '../../engine/removal/prune-stacks.js';
import type { RunDiagnostic } from '../../engine/report/run-diagnostic.js';
import { effectiveReconcile, type RunOptions } from '../../engine/run/options.js';
import { isSecret } from '../../fields/object.js';
import { type ClusterClient, type Resource, systemNamespace } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject, type Json } from '../../util/json.js';
import { grantEscalatedRules, Scopes } from './escalation.js';
import type { Grants } from './grants.js';
import { digestKeyRights, entryBytes, historyRights, type RecordRight, readRecords, recordRights } from './records.js';

export interface RightsOptions extends RunOptions {
  /** Grants only the rights that `diff` needs. @default false */
  readonly readOnly?: boolean;
  /** With `readOnly`: grants the read of revisions, but not of the key of their digests of Secret values. @default false */
  readonly readsHistory?: boolean;
  /** Receives a warning for stacks of which nothing shows by which program they are deployed: the rights cover their objects. */
  readonly onWarning?: (warning: RunDiagnostic) => void;
  /** Grants the optional reads that show why a workload does not become ready. @default true */
  readonly causes?: boolean;
}

/** The rights that a subject needs, by namespace; the key for the whole cluster is the empty string. */
export type Rights = ReadonlyMap<string, Grants>;

/**
 * Returns exactly the rights that diff, deploy and destroy of the selected stacks need with these options: for the declared objects, and
 * for the objects in inventories that the assembly no longer declares. Rights that only save requests (a LIST in place of many reads, a
 * watch in place of polling) are left out, but for those of `reconcile`: without them, Fieldwise works object by object.
 *
 * @throws FieldwiseError `stack-of-another-program`; `kind-unknown` if neither the server nor the assembly defines the resource of a kind.
 */
export async function rightsOf(assembly: Assembly, cluster: ClusterClient, options: RightsOptions): Promise<Rights> {
  const stacks = selectStacks(assembly, options.stacks);
  const steps = await effectiveSteps(cluster, intentStepsOf(assembly, stacks), options, () => {});
  const scopes = new Scopes();
  const namespace = options.inventoryNamespace ?? defaultInventoryNamespace;
  const store = new InventoryStore(cluster, namespace);
  const { app, instance } = assembly.manifest;
  const resources = new Resources(cluster, steps);

  const reconcile = effectiveReconcile(options.reconcile, steps.length);
  const found: Inventory[] = [];
  for (const step of steps) await grantStep(scopes, resources, step, { ...options, reconcile });
  if (options.readOnly) grantPolicyReads(scopes);
  else if (reconcile === 'auto') grantAdmissionReads(scopes, steps);
  for (const stack of stacks) {
    const identity = { app, instance, stack: stack.name, manager: stack.manager };
    const { current, former, whole } = await findInventory(store, identity, stack);
    requireSameProgram(identity, [current, ...former], assembly.manifest, undefined);
    found.push(current);
    const removed = undeclaredEntries(
      whole,
      steps.filter((step) => step.stack === stack),
    );
    for (const [, entry] of removed) await grantEntry(scopes, resources, entry, options);
    const declared = steps.filter((step) => step.stack === stack).map(({ object }) => entryBytes(JSON.stringify(object)));
    const bytes = [...declared, ...removed.map(([, entry]) => entryBytes(writeEntry(entry)))].reduce((sum, size) => sum + size, 0);
    const shards = [current, ...former].flatMap((inventory) =>
      inventory.shards.map(({ name }) => [inventory.stack.manager, name] as const),
    );
    const own = steps.filter((step) => step.stack === stack);
    const needsDigestKey =
      own.some(({ intent }) => isSecret(intent) && (intent.policy.strategy === 'dynamic' || recordsHistory(options))) ||
      hasDynamicSecrets(whole.entries);
    for (const one of [identity, ...(stack.formerIdentities ?? [])]) {
      if (needsDigestKey) grantAll(scopes.in(namespace), digestKeyRights(one.manager, options.readOnly === true));
      const known = shards.filter(([manager]) => manager === one.manager).map(([, name]) => name);
      grantRecords(scopes.in(namespace), one, { bytes, known }, options);
      grantHistory(scopes.in(namespace), one, options);
    }
  }
  for (const target of await findUndeclaredStacks(store, assembly.manifest, options)) {
    for (const entry of target.entries.values()) await grantEntry(scopes, resources, entry, options);
    for (const { stack, shards } of target.inventories) {
      if (hasDynamicSecrets(target.entries)) grantAll(scopes.in(namespace), digestKeyRights(stack.manager, options.readOnly === true));
      grantRecords(scopes.in(namespace), stack, { bytes: 0, known: shards.map(({ name }) => name) }, options);
      grantHistory(scopes.in(namespace), stack, options);
    }
  }
  const unknown = unknownProgramWarning(found, assembly.manifest);
  if (unknown) options.onWarning?.(unknown);
  // Their uids tell one cluster from another.
  for (const name of [systemNamespace, namespace]) scopes.in(name).add('', 'namespaces', name, ['get']);
  if (options.readOnly !== true) grantEscalatedRules(scopes, steps);
  return scopes.all;
}

async function grantStep(scopes: Scopes, resources: Resources, step: Step, options: RightsOptions): Promise<void> {
  const { intent } = step;
  const { policy } = intent;
  const { plural } = await resources.of(intent);
  const group = groupOf(intent.apiVersion);
  const grants = scopes.in(intent.namespace);
  if (options.readOnly) return grants.add(group, plural, intent.name, ['get']);
  const owned = intent.lifecycle === 'own';
  const creates = owned || policy.ifAbsent === 'create';
  const deletes = owned && (!policy.retain || policy.replace);
  grants.add(group, plural, intent.name, ['get', 'patch', ...(creates ? ['create'] : []), ...(deletes ? ['delete'] : [])]);
  // A POST names no object, so the right cannot be limited to a name.
  if (creates && policy.strategy === 'dynamic') grants.add(group, plural, undefined, ['create']);
  if (options.reconcile !== 'full') grantUnchangedChecks(scopes, intent, plural);
  if (options.causes !== false && policy.wait !== false) grantCauseReads(scopes, intent);
  if (deletes && !options.deleteForeign) await grantUnmanagedContents(scopes, resources, intent);
}

/** Grants the reads of causes: pods, their logs and events, and the objects that tell the newest pods of a workload. */
function grantCauseReads(scopes: Scopes, { apiVersion, kind, namespace }: Step['intent']): void {
  if (!hasPods({ apiVersion, kind })) return;
  const grants = scopes.in(namespace);
  grants.add('', 'pods', undefined, ['list']);
  grants.add('', 'pods/log', undefined, ['get']);
  grants.add('', 'events', undefined, ['list']);
  if (kind === 'Deployment') grants.add('apps', 'replicasets', undefined, ['list']);
  if (kind === 'DaemonSet') grants.add('apps', 'controllerrevisions', undefined, ['list']);
}

/**
 * Grants the reads of `reconcile: changed` and `auto`: a LIST proves that objects are unchanged, and the CustomResourceDefinition of a kind
 * that its schema is; whether a group has one, only this read tells. Secrets are not listed.
 */
function grantUnchangedChecks(scopes: Scopes, { apiVersion, kind, namespace }: Step['intent'], plural: string): void {
  const group = groupOf(apiVersion);
  if (kind === 'Secret' && group === '') return;
  scopes.in(namespace).add(group, plural, undefined, ['list']);
  if (group.includes('.')) scopes.in(undefined).add('apiextensions.k8s.io', 'customresourcedefinitions', `${plural}.${group}`, ['get']);
}

/** Grants the reads with which a plan that sends nothing evaluates policies, and `doctor` and `guard --check` compare guards. */
function grantPolicyReads(scopes: Scopes): void {
  for (const kind of ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'])
    scopes.in(undefined).add(admissionGroup, admissionResources.get(kind) as string, undefined, ['list']);
}

/** Grants the reads of `reconcile: auto`: which webhooks, policies and quotas would see objects that are unchanged. */
function grantAdmissionReads(scopes: Scopes, steps: readonly Step[]): void {
  for (const plural of admissionResources.values()) scopes.in(undefined).add(admissionGroup, plural, undefined, ['list']);
  for (const namespace of new Set(steps.flatMap(({ intent }) => intent.namespace ?? []))) {
    scopes.in(namespace).add('', 'resourcequotas', undefined, ['list']);
    if (steps.some(({ intent }) => intent.namespace === namespace && hasLimitRanges(intent)))
      scopes.in(namespace).add('', 'limitranges', undefined, ['list']);
    scopes.in(undefined).add('', 'namespaces', namespace, ['get']);
  }
}

/** Grants the lists that find objects of others, which keep a Namespace or a CustomResourceDefinition from being deleted. */
async function grantUnmanagedContents(scopes: Scopes, resources: Resources, object: ObjectIdentity): Promise<void> {
  if (object.kind === 'Namespace' && object.apiVersion === 'v1') {
    for (const { apiVersion, plural } of await resources.inNamespaces()) {
      scopes.in(object.name).add(groupOf(apiVersion), plural, undefined, ['list']);
    }
  } else if (isCrd(object)) {
    const [plural = '', ...group] = object.name.split('.'); // The server requires the name PLURAL.GROUP.
    scopes.in(undefined).add(group.join('.'), plural, undefined, ['list']);
  }
}

/** Grants the removal of an object that is no longer declared: it is released, or deleted if this stack created it. */
async function grantEntry(scopes: Scopes, resources: Resources, entry: InventoryEntry, options: RightsOptions): Promise<void> {
  if (entry.lifecycle === 'own' && entry.retain) return;
  const resource = await resources.of(entry).catch(() => undefined); // The objects of a deleted kind were deleted with it.
  if (!resource) return;
  const deletes = entry.lifecycle === 'own' && entry.deletable;
  const verbs = options.readOnly ? ['get'] : ['get', 'patch', ...(deletes ? ['delete'] : [])];
  scopes.in(resource.namespaced ? entry.namespace : undefined).add(groupOf(entry.apiVersion), resource.plural, entry.name, verbs);
  if (verbs.includes('delete') && !options.deleteForeign) await grantUnmanagedContents(scopes, resources, entry);
}

function grantRecords(
  grants: Grants,
  stack: StackIdentity,
  { bytes, known }: { readonly bytes: number; readonly known: readonly string[] },
  { readOnly }: RightsOptions,
): void {
  grantAll(grants, readOnly ? readRecords : recordRights(stack, bytes, known));
}

function grantHistory(grants: Grants, { manager }: StackIdentity, options: RightsOptions): void {
  if (!recordsHistory(options) && !options.readsHistory) return;
  grantAll(grants, historyRights(manager, options.history ?? {}, options.readOnly === true));
}

function recordsHistory({ history, readOnly }: RightsOptions): boolean {
  return history !== undefined && readOnly !== true;
}

/** Returns true if an inventory lists a Secret under the strategy `dynamic`. */
function hasDynamicSecrets(entries: ReadonlyMap<string, InventoryEntry>): boolean {
  return [...entries.values()].some((entry) => entry.strategy === 'dynamic' && isSecret(entry));
}

function grantAll(grants: Grants, rights: readonly RecordRight[]): void {
  for (const { group, resource, name, verbs } of rights) grants.add(group, resource, name, verbs);
}

type ResourceNames = Pick<Resource, 'plural' | 'namespaced'>;

/** The resources of kinds, from the server or from a CustomResourceDefinition of the assembly. */
class Resources {
  readonly #cluster: ClusterClient;
  readonly #declared = new Map<string, ResourceNames>();

  constructor(cluster: ClusterClient, steps: readonly Step[]) {
    this.#cluster = cluster;
    for (const { intent, object } of steps) {
      if (!isCrd(intent) || !isJsonObject(object.spec)) continue;
      const { group, names, scope } = crdNamesOf(object.spec);
      if (names.plural) this.#declared.set(`${group}/${names.kind}`, { plural: names.plural, namespaced: scope !== 'Cluster' });
    }
  }

  async of({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): Promise<ResourceNames> {
    try {
      return await this.#cluster.resourceOf(apiVersion, kind);
    } catch (error) {
      const declared = this.#declared.get(`${groupOf(apiVersion)}/${kind}`);
      if (declared && error instanceof FieldwiseError && error.code === 'kind-unknown') return declared;
      throw error;
    }
  }

  async inNamespaces(): Promise<readonly Resource[]> {
    const { resources } = await this.#cluster.listResources();
    return resources.filter((resource) => resource.namespaced && !isOfOthers(resource));
  }
}

function crdNamesOf(spec: Json | undefined) {
  const { group, names, scope } = isJsonObject(spec) ? spec : {};
  const { kind, plural } = isJsonObject(names) ? names : {};
  return { group: String(group), names: { kind: String(kind), plural: String(plural ?? '') }, scope };
}
