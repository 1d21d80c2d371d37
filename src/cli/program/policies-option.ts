import type { Assembly } from '../../assembly/types.js';
import type { RunDiagnostic } from '../../engine/report/run-diagnostic.js';
import { defaultConcurrency } from '../../engine/run/options.js';
import type { ClusterPolicies } from '../../entry/policy-review.js';
import { metadataOf, nameOf } from '../../fields/object.js';
import { type ClusterClient, customResourceDefinitions, isForbidden, namespaces, type ObjectAddress } from '../../kubernetes/index.js';
import type { PlannerOptions } from '../../plan/plan.js';
import { policiesNotRead } from '../../plan/policies-not-read.js';
import type { Snapshot } from '../../plan/snapshot.js';
import { isBuiltIn } from '../../schema/index.js';
import { groupOf } from '../../util/api-version.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { Config } from '../config/config.js';
import type { Host } from '../process/host.js';

type Check = Required<PlannerOptions>['check'];

const ifMissing = 'Correct the path of `--admission`, or else that of `admission` in fieldwise.yaml.';

/**
 * Returns the option of a plan on which admission policies decide, beside the rules.
 *
 * Namespaces and definitions that the policies may need are read from the cluster.
 *
 * @throws FieldwiseError `admission-invalid`, and errors of documents.
 */
export async function policiesOption(
  { admission: directory }: Pick<Config, 'admission'>,
  { check, strict, assembly, openCluster, host, snapshot, ofCluster, onWarning }: PolicyInput,
): Promise<Pick<PlannerOptions, 'check'>> {
  const notRead = ofCluster && policiesNotRead(ofCluster.policies, ofCluster.isSnapshot);
  if (notRead) onWarning(notRead);
  const isStopped = strict && notRead !== undefined;
  const hasPolicies = directory !== undefined || isStopped || (ofCluster?.policies?.objects.length ?? 0) > 0;
  if (!hasPolicies) return check ? { check } : {};
  const [{ readDocuments }, { decides, startPolicyReview }] = await Promise.all([
    import('../documents/read-documents.js'),
    import('../../entry/policy-review.js'),
  ]);
  const errors: FieldwiseError[] = [];
  const documents = await readDocuments(directory === undefined ? [] : [directory], host, (error) => errors.push(error), ifMissing);
  if (errors[0] !== undefined) throw errors[0];
  if (directory !== undefined && !documents.some(({ object }) => decides(object))) throw withoutPolicies(directory);
  const live = await surroundingsOf(assembly, await openCluster(), snapshot);
  const review = await startPolicyReview({ documents, live, strict, onWarning, ...(ofCluster ? { ofCluster } : {}) });
  return { check: (planned, states) => [...(check?.(planned, states) ?? []), ...review(planned, states)] };
}

export interface PolicyInput {
  /** The rules. */
  readonly check: Check | undefined;
  /** True if what is not evaluated blocks an object. */
  readonly strict: boolean;
  readonly assembly: Assembly;
  /** Opens the cluster or its simulation; called only if there are policies. */
  readonly openCluster: () => Promise<ClusterClient>;
  readonly host: Host;
  /** Receives warnings about policies that decide on nothing. */
  readonly onWarning: (warning: RunDiagnostic) => void;
  /** The snapshot that is planned on. */
  readonly snapshot?: Snapshot;
  /** The policies of the cluster, which decide, too; absent where its dry runs decide by them. */
  readonly ofCluster?: ClusterPolicies;
}

/** Reads the policies of a cluster for a plan that sends no dry runs. */
export async function policiesOfCluster(assembly: Assembly, cluster: ClusterClient): Promise<ClusterPolicies> {
  const { readPolicies } = await import('../../plan/snapshot-policies.js');
  const namespaces = assembly.manifest.stacks.flatMap(({ intents }) => intents).flatMap(({ namespace }) => namespace ?? []);
  // Nothing of them is written to a file, and messages are masked: a parameter may repeat a value of a Secret.
  const policies = await readPolicies(cluster, new Set([cluster.defaultNamespace, ...namespaces]), defaultConcurrency, () => true);
  return { policies, isSnapshot: false };
}

function withoutPolicies(directory: string): FieldwiseError {
  return new FieldwiseError(
    'admission-invalid',
    'usage',
    'There is no ValidatingAdmissionPolicy and no CustomResourceDefinition in the documents',
    {
      location: { file: directory },
      next: 'Name a file or directory with policies and their bindings, or with definitions, such as the output of `kubectl get` (docs/policies.md).',
    },
  );
}

/**
 * Returns the Namespaces and definitions that the objects of a program are in, as they are and as the program declares them.
 *
 * @param snapshot in which a Namespace without a uid stands for one that could not be read.
 */
async function surroundingsOf(assembly: Assembly, cluster: ClusterClient, snapshot: Snapshot | undefined): Promise<readonly JsonObject[]> {
  const intents = assembly.manifest.stacks.flatMap(({ intents }) => intents);
  const declared = assembly.objects.flat();
  const names = new Set([cluster.defaultNamespace, ...intents.flatMap(({ namespace }) => namespace ?? [])]);
  for (const { kind, metadata } of declared) if (kind === 'Namespace') names.add(String((metadata as JsonObject).name));
  const read = (name: string) => readIfPermitted(cluster, { resource: namespaces, name });
  const found = await Promise.all(
    [...names].map(async (name) => namespaceAfter(name, declared, snapshot ? namespaceIn(snapshot, name) : await read(name))),
  );
  const kinds = new Map(
    intents.filter(({ apiVersion }) => !isBuiltIn(apiVersion)).map((each) => [`${each.apiVersion} ${each.kind}`, each]),
  );
  const definitions = await Promise.all([...kinds.values()].map(({ apiVersion, kind }) => definitionOf(apiVersion, kind, cluster)));
  const planned = declared.filter(({ kind }) => kind === 'CustomResourceDefinition');
  return [...definitions, ...planned, ...found].filter((each) => each !== undefined);
}

function namespaceIn({ objects }: Snapshot, name: string): JsonObject | 'forbidden' | undefined {
  const found = objects.find((each) => each.kind === namespaces.kind && nameOf(each) === name);
  return found !== undefined && metadataOf(found).uid === undefined ? 'forbidden' : found;
}

/** Returns a Namespace as the program leaves it; undefined if it does not exist, or if its labels are not known. */
function namespaceAfter(name: string, declared: readonly JsonObject[], live: JsonObject | 'forbidden' | undefined): JsonObject | undefined {
  if (live === 'forbidden') return undefined;
  const own = declared.find(({ kind, metadata }) => kind === 'Namespace' && (metadata as JsonObject).name === name);
  if (own === undefined) return live;
  const metadata = { ...metadataOf(live), ...metadataOf(own), labels: { ...labelsOf(live), ...labelsOf(own) } };
  return { status: { phase: 'Active' }, ...live, ...own, metadata };
}

function labelsOf(object: JsonObject | undefined): JsonObject {
  const { labels } = metadataOf(object);
  return isJsonObject(labels) ? labels : {};
}

async function definitionOf(apiVersion: string, kind: string, cluster: ClusterClient): Promise<JsonObject | undefined> {
  try {
    const { plural } = await cluster.resourceOf(apiVersion, kind);
    const found = await readIfPermitted(cluster, { resource: customResourceDefinitions, name: `${plural}.${groupOf(apiVersion)}` });
    return found === 'forbidden' ? undefined : found;
  } catch (error) {
    // The program may define the kind itself; otherwise the plan says that it is unknown.
    if (error instanceof FieldwiseError) return undefined;
    throw error;
  }
}

async function readIfPermitted(cluster: ClusterClient, address: ObjectAddress): Promise<JsonObject | 'forbidden' | undefined> {
  try {
    return await cluster.tryGet(address);
  } catch (error) {
    if (isForbidden(error)) return 'forbidden';
    throw error;
  }
}
