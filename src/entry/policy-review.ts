import { ApiServer, type DefinitionReview, type PolicyDecision, type ReviewedWrite } from '../apiserver/index.js';
import { admissionGroup } from '../engine/apply/skip/observers/admission-kinds.js';
import { guardOf } from '../engine/guards/guard-manifest.js';
import type { Judgment } from '../engine/report/judgment.js';
import type { PlannedObject } from '../engine/report/plan-types.js';
import type { RunDiagnostic } from '../engine/report/run-diagnostic.js';
import { formatPath, resolvePath } from '../fields/index.js';
import { metadataOf, nameOf } from '../fields/object.js';
import { ApiError, type ClusterClient, customResourceDefinitions } from '../kubernetes/index.js';
import type { PlannedStates } from '../plan/plan.js';
import { policiesNotRead } from '../plan/policies-not-read.js';
import type { SnapshotPolicies } from '../plan/snapshot-policies.js';
import { groupOf } from '../util/api-version.js';
import { FieldwiseError } from '../util/error.js';
import { stringifyExactJson } from '../util/exact-json.js';
import type { JsonObject } from '../util/json.js';
import { inProcessClient } from './in-process.js';
import { type LooseBinding, unenforcedPolicies } from './unenforced-policies.js';

/** A policy, a binding or a definition as a person wrote it, or an object that policies read. */
export interface PolicyDocument {
  readonly object: JsonObject;
  /** Position such as `policies.yaml:12`. */
  readonly source: string;
}

export interface PolicyReviewInput {
  /** The definitions among them decide on their custom resources, too. */
  readonly documents: readonly PolicyDocument[];
  /** The objects that policies read, as the cluster has them. An object of the same name among the documents counts instead. */
  readonly live: readonly JsonObject[];
  /** True if what is not evaluated blocks an object. */
  readonly strict: boolean;
  /** The policies of the cluster, which decide, too; one of the same name among the documents counts instead. */
  readonly ofCluster?: ClusterPolicies;
  /** Receives a warning for each policy and binding of the documents that decides on nothing. */
  readonly onWarning: (warning: RunDiagnostic) => void;
}

/** The policies of a cluster that is planned on without dry runs. */
export interface ClusterPolicies {
  /** Undefined in a snapshot of an earlier version. */
  readonly policies: SnapshotPolicies | undefined;
  readonly isSnapshot: boolean;
}

/** Decides on a planned object by admission policies and definitions. */
export type PolicyCheck = (planned: PlannedObject, states: PlannedStates) => readonly Judgment[];

/** Returns true for an object that decides on others: a policy, a binding, of whatever kind, or a definition. */
export function decides(object: JsonObject): boolean {
  return isPolicyDocument(object) || isDefinition(object);
}

function isDefinition({ kind }: JsonObject): boolean {
  return kind === customResourceDefinitions.kind;
}

/** Returns true for a policy or a binding, of whatever kind. */
function isPolicyDocument({ apiVersion, kind }: JsonObject): boolean {
  return groupOf(String(apiVersion)) === admissionGroup && /AdmissionPolicy(Binding)?$/.test(String(kind));
}

/**
 * Starts an API server in this process that has the policies and what they read, and returns the function by which they decide on a plan.
 *
 * @throws FieldwiseError `admission-invalid` for a policy or definition that a server would refuse
 */
export async function startPolicyReview({ documents, live, strict, ofCluster, onWarning }: PolicyReviewInput): Promise<PolicyCheck> {
  const server = await ApiServer.create({ controllers: false, webhooks: false, bootstrapObjects: false });
  const client = inProcessClient(server, 'default');
  const definitions = documents.filter(({ object }) => isDefinition(object));
  const policies = documents.filter(({ object }) => isPolicyDocument(object));
  const own = new Set(definitions.map(({ object }) => nameOf(object)));
  const written = new Set(policies.map(({ object }) => policyKey(object)));
  const { objects = [], params = [] } = ofCluster?.policies ?? {};
  const all = [...objects, ...live];
  const livePolicies = objects.filter((object) => isPolicyDocument(object) && !written.has(policyKey(object)));
  for (const object of all) if (isDefinition(object) && !own.has(nameOf(object))) server.load(object);
  for (const document of definitions) await create(server, client, document);
  for (const object of [...all.filter((each) => !decides(each)), ...livePolicies]) server.load(readable(object));
  for (const document of documents) {
    if (decides(document.object) || server.load(readable(document.object))) continue;
    throw invalid(document, `no definition of kind ${String(document.object.kind)} is among them`);
  }
  for (const document of policies) await create(server, client, document);
  const { warnings, looseBindings } = unenforcedPolicies(
    policies.map(({ object }) => object),
    livePolicies,
  );
  for (const warning of warnings) onWarning(warning);
  const read = new Set(params.map(({ binding, namespace }) => `${binding} ${namespace}`));
  const ofSnapshot = new Set(livePolicies.map(policyKey));
  const isComplete = (binding: string, namespace: string) =>
    ofSnapshot.has(`${bindingKind} ${binding}`) ? read.has(`${binding} ${namespace}`) : undefined;
  const reviews: Reviews = {
    byPolicies: policies.length + livePolicies.length > 0 ? await server.policyReviewer(isComplete) : undefined,
    byDefinition: own.size > 0 ? await server.definitionReviewer() : undefined,
    own,
    isSnapshot: ofCluster?.isSnapshot === true,
    missing: strict ? missingPolicies(ofCluster, looseBindings) : [],
    guards: guardedBy([...policies.map(({ object }) => object), ...livePolicies]),
  };
  return (planned, states) => writesOf(planned, states).flatMap((write) => judgmentsOf(reviews, planned, write, strict));
}

/** Returns the policies that are not known at all, for `--strict`; warnings name them in any case. */
function missingPolicies(ofCluster: ClusterPolicies | undefined, looseBindings: readonly LooseBinding[]): readonly Judgment[] {
  const missing = { verdict: 'not-evaluated', blocks: true, source: 'policy' } as const;
  const lacksAll = ofCluster !== undefined && policiesNotRead(ofCluster.policies) !== undefined;
  const why = ofCluster?.isSnapshot ? 'the snapshot does not have them' : 'these credentials may not list them';
  return [
    ...(lacksAll ? [{ ...missing, rule: 'all policies of the cluster', message: why }] : []),
    ...looseBindings.map(({ binding, policy }) => ({ ...missing, rule: policy, message: 'it is not among the policies', binding })),
  ];
}

/** Returns the field managers of the stacks whose guards policies are, by their names. */
function guardedBy(policies: readonly JsonObject[]): ReadonlyMap<string, string> {
  const guards = policies.filter(({ kind }) => kind === bindingKind).flatMap((binding) => guardOf(binding) ?? []);
  return new Map(guards.map(({ policy, manager }) => [policy, manager]));
}

const bindingKind = 'ValidatingAdmissionPolicyBinding';

function policyKey(object: JsonObject): string {
  return `${String(object.kind)} ${nameOf(object)}`;
}

/** Returns an object as policies read it. */
function readable(object: JsonObject): JsonObject {
  return object.kind === 'Namespace' ? withNameLabel(object) : object;
}

/** Creates an object as a client would, so that it is validated and has its defaults. */
async function create(server: ApiServer, client: ClusterClient, document: PolicyDocument): Promise<void> {
  const { apiVersion, kind } = document.object as { apiVersion: string; kind: string };
  const { resourceVersion: _, uid: __, ...metadata } = metadataOf(document.object);
  try {
    const { plural } = await client.resourceOf(apiVersion, kind);
    const path = `/apis/${apiVersion}/${plural}`;
    const { code, body } = await server.handle({
      method: 'POST',
      path,
      query: new URLSearchParams(),
      headers: { 'content-type': 'application/json' },
      body: stringifyExactJson({ ...document.object, metadata }),
    });
    if (code >= 400) throw new ApiError('POST', `${kind} ${nameOf(document.object)}`, code, body);
  } catch (error) {
    if (error instanceof ApiError || error instanceof FieldwiseError) throw invalid(document, error.message, error);
    throw error;
  }
}

function invalid({ source }: PolicyDocument, what: string, cause?: unknown): FieldwiseError {
  return new FieldwiseError('admission-invalid', 'usage', `The admission policies cannot be used: ${what}`, {
    location: { file: source },
    next: 'Correct the document, or leave it out of the directory of policies (docs/policies.md).',
    ...(cause === undefined ? {} : { cause }),
  });
}

function withNameLabel(namespace: JsonObject): JsonObject {
  const { name, labels, ...metadata } = (namespace.metadata ?? {}) as { name: string; labels?: JsonObject };
  return { ...namespace, metadata: { ...metadata, name, labels: { ...labels, 'kubernetes.io/metadata.name': name } } };
}

const notPlanned = 'the object, which is not planned';

/** Returns the writes by which a deploy would make a planned change; a name of what is missing where it is not known. */
function writesOf(
  { action, apiVersion, kind, namespace, name, manager }: PlannedObject,
  { before, after }: PlannedStates,
): readonly (ReviewedWrite | string)[] {
  const of = { apiVersion, kind, namespace, name, manager };
  const deletion = (): ReviewedWrite | string =>
    before === undefined ? notPlanned : { ...of, operation: 'DELETE', object: null, oldObject: before };
  if (action === 'delete') return [deletion()];
  if (action === 'recreate')
    return [deletion(), after === undefined ? notPlanned : { ...of, operation: 'CREATE', object: after, oldObject: null }];
  if (after === undefined) return action === 'create' || action === 'update' ? [notPlanned] : [];
  return [{ ...of, operation: before === undefined ? 'CREATE' : 'UPDATE', object: after, oldObject: before ?? null }];
}

const verdicts = { Deny: 'deny', Warn: 'warn', Audit: 'audit' } as const;

interface Reviews {
  /** Undefined if there are no policies. */
  readonly byPolicies: ((write: ReviewedWrite) => PolicyDecision) | undefined;
  /** Undefined if there are no definitions among the documents. */
  readonly byDefinition: ((write: ReviewedWrite) => DefinitionReview) | undefined;
  /** The names of the definitions among the documents. */
  readonly own: ReadonlySet<string>;
  /** True if values of Secrets are not those of the cluster. */
  readonly isSnapshot: boolean;
  /** Policies that are not known, and that block every change. */
  readonly missing: readonly Judgment[];
  /** By the name of a policy: the stack whose guard it is. */
  readonly guards: ReadonlyMap<string, string>;
}

function judgmentsOf(
  { byPolicies, byDefinition, own, isSnapshot, missing, guards }: Reviews,
  planned: PlannedObject,
  write: ReviewedWrite | string,
  strict: boolean,
): readonly Judgment[] {
  const unknown = (rule: string, reads: string, source: 'policy' | 'definition', of: { readonly binding?: string } = {}): Judgment => {
    const message = `it reads ${reads}, which a plan does not know`;
    return { rule, verdict: 'not-evaluated', ...(strict ? { blocks: true } : {}), message, source, ...of };
  };
  if (typeof write === 'string')
    return [
      ...missing,
      ...(byPolicies ? [unknown('all policies', write, 'policy')] : []),
      ...[...own].filter((name) => name.endsWith(`.${groupOf(planned.apiVersion)}`)).map((name) => unknown(name, write, 'definition')),
    ];
  const { findings, notEvaluated } = byPolicies?.({ ...write, hidesValues: isSnapshot || planned.notCompared !== undefined }) ?? {
    findings: [],
    notEvaluated: [],
  };
  const bound = (binding: string | undefined) => (binding === undefined ? {} : { binding });
  return [
    ...definitionJudgments(byDefinition?.(write), own, write),
    ...findings.map(({ policy, binding, action, message }): Judgment => {
      if (isChangedFirst(planned, policy, binding)) {
        const what = 'this deploy changes it first, so that a plan does not know it';
        return {
          rule: policy,
          verdict: 'not-evaluated',
          ...(strict ? { blocks: true } : {}),
          message: what,
          source: 'policy',
          ...bound(binding),
        };
      }
      return { rule: policy, verdict: verdicts[action], message, source: 'policy', ...bound(binding) };
    }),
    ...missing,
    // A guard lets the deployers of its own stack do what they plan, and decides by nothing else but who asks: under --strict, that blocks.
    ...notEvaluated
      .filter(({ policy, reads }) => strict || !(reads === 'request.userInfo' && guards.get(policy) === planned.manager))
      .map(({ policy, binding, reads }) => unknown(policy, reads, 'policy', bound(binding))),
  ];
}

/** Returns true if a deploy creates or changes a policy or its binding before it sends an object. */
function isChangedFirst({ notJudged }: PlannedObject, policy: string, binding: string | undefined): boolean {
  const names = new Set([`ValidatingAdmissionPolicy ${policy}`, `${bindingKind} ${binding}`]);
  return notJudged?.changedFirst.some(({ kind, name }) => names.has(`${kind} ${name}`)) === true;
}

/** Returns the objections of a definition among the documents; the server, or the simulation, validates by its own definitions. */
function definitionJudgments(
  review: DefinitionReview | undefined,
  own: ReadonlySet<string>,
  { object }: ReviewedWrite,
): readonly Judgment[] {
  if (review?.definition === undefined || !own.has(review.definition)) return [];
  const of = { rule: review.definition, source: 'definition' } as const;
  return [
    ...review.errors.map(({ text, field }): Judgment => {
      const path = resolvePath(`.${field.replace(/^\./, '')}`, object ?? undefined);
      return { ...of, verdict: 'deny', message: text, ...(path === undefined || path.length === 0 ? {} : { field: formatPath(path) }) };
    }),
    ...review.warnings.map((message): Judgment => ({ ...of, verdict: 'warn', message })),
  ];
}
