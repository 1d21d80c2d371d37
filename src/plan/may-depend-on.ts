import { groupKindOf } from '../engine/addresses/group-kind.js';
import { admissionGroup } from '../engine/apply/skip/observers/admission-kinds.js';
import { type KindScope, mayObserveObject, type Observer } from '../engine/apply/skip/observers/observer.js';
import { policyObservers } from '../engine/apply/skip/observers/policy-observers.js';
import { hasLimitRanges } from '../engine/apply/skip/observers/quota-observers.js';
import { webhookObservers } from '../engine/apply/skip/observers/webhook-observers.js';
import type { Step } from '../engine/graph/waves.js';
import { type Refuser, refuserOf } from '../engine/report/forbidden.js';
import { metadataOf } from '../fields/object.js';
import { type ApiError, admissionDenialOf, type ObjectAddress } from '../kubernetes/index.js';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../util/json.js';
import { isBinding, mayGrant, roleOf } from './may-grant.js';
import { RefusalWords } from './refusal-words.js';

/** A request that a server refused when it was tried before the run. */
export interface RefusedRequest {
  readonly step: Step;
  readonly address: ObjectAddress;
  readonly live: JsonObject | undefined;
  readonly error: ApiError;
}

/** An object that a step of the run creates or changes. */
export interface ChangedObject {
  readonly step: Step;
  readonly action: 'create' | 'update' | 'recreate';
  readonly namespace: string | undefined;
  /** The object before and after the step: kept only where it `isRead`. */
  readonly before?: JsonObject | undefined;
  readonly after?: JsonObject | undefined;
}

/** By whom a request was refused; `missing`: something was not found; `invalid`: validation, which looks at the object alone. */
type RefusedBy = Refuser | 'policy' | 'webhook' | 'missing' | 'invalid' | 'other';

/** A refused request, and what its message and its intent say. */
interface ReadRefusal extends RefusedRequest {
  readonly by: RefusedBy;
  readonly references: readonly Reference[];
  readonly says: RefusalWords;
}

interface Dependency {
  /** The group and kind of the changed objects; absent: any. */
  readonly of?: readonly string[];
  readonly refusedBy: readonly RefusedBy[];
  readonly holds: (refused: ReadRefusal, changed: ChangedObject) => boolean;
}

const rbac = 'rbac.authorization.k8s.io';
const mutating = ['MutatingWebhookConfiguration', 'MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding'].map(ofAdmission);

/** Those who may look at other objects than the Namespace, and say at which. */
const lookingAround: readonly RefusedBy[] = ['missing', 'class', 'account', 'admission', 'webhook', 'other'];

/**
 * The objects on which a refusal can depend. Objects of a Namespace that the run creates, and of a kind whose definition it creates or changes, are not in it: the
 * server is not asked about them at all.
 */
const dependencies: readonly Dependency[] = [
  { refusedBy: lookingAround, holds: (refused, changed) => isNear(refused, changed) && refused.says.names(changed.step.intent) },
  // A binding to a role that does not exist is refused as if the binding itself were missing. Source: observed with Kubernetes 1.36.
  { refusedBy: ['missing'], holds: refersTo },
  { refusedBy: lookingAround, holds: (refused, changed) => refersTo(refused, changed) && refused.says.mentions(changed.step.intent.kind) },
  // Pod Security reads labels, other plugins annotations; selectors and policies may read both.
  { of: ['/Namespace'], refusedBy: ['pod-security', 'admission', 'policy', 'webhook'], holds: changesNamespace },
  {
    of: mutating,
    refusedBy: ['pod-security', 'limits', 'quota', 'class', 'account', 'admission', 'policy', 'webhook', 'invalid'],
    holds: mayMutate,
  },
  { of: [ofAdmission('ValidatingWebhookConfiguration')], refusedBy: ['webhook'], holds: hasWebhook },
  {
    of: ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'].map(ofAdmission),
    refusedBy: ['policy'],
    holds: ({ error }, { step }) => deniesBy(error, step.intent),
  },
  {
    of: ['/ResourceQuota'],
    refusedBy: ['quota'],
    holds: (refused, changed) =>
      isInNamespace(refused, changed) && changesSpec(changed) && refused.says.namesQuota(changed.step.intent.name),
  },
  // It gives defaults, which quotas count and which the values that are declared have to fit.
  { of: ['/LimitRange'], refusedBy: ['limits', 'quota', 'invalid'], holds: mayLimit },
  {
    of: ['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'].map((kind) => `${rbac}/${kind}`),
    refusedBy: ['escalation'],
    holds: mayPermit,
  },
];

/** Returns the function that tells whether the refusal of a request can depend on an object that the run creates or changes before it. */
export function dependenceOf(request: RefusedRequest): (changed: ChangedObject) => boolean {
  const refused = readRefusal(request);
  const rows = dependencies.filter((row) => row.refusedBy.includes(refused.by));
  return (changed) => {
    if (changed.step.key === request.step.key) return false;
    const kind = groupKindOf(changed.step.intent);
    return rows.some(({ of, holds }) => (of === undefined || of.includes(kind)) && holds(refused, changed));
  };
}

function readRefusal(request: RefusedRequest): ReadRefusal {
  const { error, step, live } = request;
  const references = [step.object, ...(live ? [live] : [])].flatMap(referencesOf);
  return { ...request, by: refusedBy(error), references, says: new RefusalWords(error.message) };
}

/** Returns true for kinds of which it matters what an object contains, and not only that it changes. */
export function isRead(object: { readonly apiVersion: string; readonly kind: string }): boolean {
  const kind = groupKindOf(object);
  return simulatedReferences.has(kind) || dependencies.some(({ of }) => of?.includes(kind));
}

/** Returns true if a policy or binding is the one that denies a request. */
export function deniesBy(error: ApiError, { kind, name }: { readonly kind: string; readonly name: string }): boolean {
  const denial = admissionDenialOf(error);
  return denial?.by === 'policy' && name === (kind === 'ValidatingAdmissionPolicy' ? denial.name : (denial.binding ?? name));
}

function ofAdmission(kind: string): string {
  return `${admissionGroup}/${kind}`;
}

function refusedBy(error: ApiError): RefusedBy {
  const denial = admissionDenialOf(error);
  if (denial !== undefined) return denial.by;
  if (failedWebhook(error) !== undefined) return 'webhook';
  if (error.code === 404) return 'missing';
  if (error.code === 422 || error.code === 400) return 'invalid';
  if (error.code !== 403 || error.causes.some(({ reason }) => reason === 'NamespaceTerminating')) return 'other';
  return refuserOf(error.message, error.method);
}

function failedWebhook({ message }: ApiError): string | undefined {
  return /failed calling webhook "([^"]+)"/.exec(message)?.[1];
}

/** An object that another one refers to by its name. */
interface Reference {
  /** The group and kind. */
  readonly kind: string;
  readonly name: string;
  readonly isNamespaced?: true;
}

/** Members of a pod, a claim or an Ingress that name another object. */
const referringMembers: Readonly<Record<string, Omit<Reference, 'name'>>> = {
  serviceAccountName: { kind: '/ServiceAccount', isNamespaced: true },
  serviceAccount: { kind: '/ServiceAccount', isNamespaced: true },
  priorityClassName: { kind: 'scheduling.k8s.io/PriorityClass' },
  runtimeClassName: { kind: 'node.k8s.io/RuntimeClass' },
  storageClassName: { kind: 'storage.k8s.io/StorageClass' },
  ingressClassName: { kind: 'networking.k8s.io/IngressClass' },
};

/** An object without which the embedded server refuses another one. */
export interface NeededObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** The object as far as the server needs it, beside its metadata. */
  readonly content: JsonObject;
}

/** Kinds without which the embedded server refuses an object that refers to them. */
const simulatedReferences: ReadonlyMap<string, Pick<NeededObject, 'apiVersion' | 'content'>> = new Map([
  ['scheduling.k8s.io/PriorityClass', { apiVersion: 'scheduling.k8s.io/v1', content: { value: 0 } }],
  ['node.k8s.io/RuntimeClass', { apiVersion: 'node.k8s.io/v1', content: { handler: 'unknown' } }],
]);

const places: readonly (readonly string[])[] = [
  ['spec'],
  ['spec', 'template', 'spec'],
  ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
];

/** Returns the objects that an object refers to by name. */
function referencesOf(object: JsonObject): readonly Reference[] {
  const role = roleOf(object);
  const members = places.map((path) => valueAt(object, path)).filter(isJsonObject);
  return [
    ...(role === undefined
      ? []
      : [{ kind: `${rbac}/${role.kind}`, name: role.name, ...(role.kind === 'Role' ? { isNamespaced: true as const } : {}) }]),
    ...members.flatMap((member) =>
      Object.entries(referringMembers).flatMap(([key, reference]): Reference[] =>
        typeof member[key] === 'string' ? [{ ...reference, name: member[key] }] : [],
      ),
    ),
  ];
}

/** Returns the objects without which the embedded server refuses an object. */
export function neededBySimulation(object: JsonObject): readonly NeededObject[] {
  if (object.kind !== 'Pod') return [];
  return referencesOf(object).flatMap(({ kind, name }) => {
    const simulated = simulatedReferences.get(kind);
    return simulated === undefined ? [] : [{ ...simulated, kind: kind.slice(kind.indexOf('/') + 1), name }];
  });
}

function refersTo(refused: ReadRefusal, changed: ChangedObject): boolean {
  const { intent } = changed.step;
  return refused.references.some(
    ({ kind, name, isNamespaced }) =>
      name === intent.name && kind === groupKindOf(intent) && (!isNamespaced || isInNamespace(refused, changed)),
  );
}

/** Returns true if a message about a request may mean an object: it lies in the same namespace, or in none; a webhook may lie anywhere. */
function isNear({ address, by }: ReadRefusal, { namespace }: ChangedObject): boolean {
  const { namespace: own } = address;
  return namespace === undefined || own === undefined || namespace === own || by === 'webhook';
}

function isInNamespace({ address }: RefusedRequest, { namespace }: ChangedObject): boolean {
  return namespace === address.namespace;
}

function changesNamespace({ address, by }: ReadRefusal, { step, before, after }: ChangedObject): boolean {
  if (step.intent.name !== address.namespace) return false;
  const [one, other] = [metadataOf(before), metadataOf(after)];
  const isChanged = (name: 'labels' | 'annotations') => !jsonEqual(one[name] as Json | undefined, other[name] as Json | undefined);
  if (by !== 'pod-security') return isChanged('labels') || isChanged('annotations');
  const levels = (labels: Json | undefined) =>
    Object.entries(isJsonObject(labels) ? labels : {}).filter(([name]) => name.startsWith(podSecurityPrefix));
  return !jsonEqual(
    Object.fromEntries(levels(one.labels as Json | undefined)),
    Object.fromEntries(levels(other.labels as Json | undefined)),
  );
}

/** Pod Security reads these labels of a Namespace alone. Source: Kubernetes documentation "Enforce Pod Security Standards with Namespace Labels". */
const podSecurityPrefix = 'pod-security.kubernetes.io/';

/** Returns true if an object that configures admission, as it is or as the run leaves it, may change the request. */
function mayMutate({ step, address, live }: RefusedRequest, { step: { intent }, before, after }: ChangedObject): boolean {
  const place: KindScope = { resource: address.resource, namespace: address.namespace, operation: live ? 'UPDATE' : 'CREATE' };
  const observers = [before, after].flatMap((object) => (object ? mutatorsOf(object, intent.kind) : []));
  return observers.some((observer) => [step.object, ...(live ? [live] : [])].some((object) => mayObserveObject(observer, place, object)));
}

function mutatorsOf(object: JsonObject, kind: string): readonly Observer[] {
  if (kind === 'MutatingWebhookConfiguration') return webhookObservers(object, kind);
  // Of a policy and its binding, only one is known: the other one is taken to match.
  if (kind === 'MutatingAdmissionPolicy') return policyObservers([object], [{ spec: {} }], kind);
  const { policyName = '' } = isJsonObject(object.spec) ? object.spec : {};
  return policyObservers([{ metadata: { name: policyName } }], [object], kind);
}

function hasWebhook({ error }: RefusedRequest, { before, after }: ChangedObject): boolean {
  const name = admissionDenialOf(error)?.name ?? failedWebhook(error);
  return [before, after].some(
    (object) =>
      Array.isArray(object?.webhooks) && (object.webhooks as readonly Json[]).some((one) => isJsonObject(one) && one.name === name),
  );
}

function mayLimit(refused: ReadRefusal, changed: ChangedObject): boolean {
  const { error, address, by } = refused;
  if (!isInNamespace(refused, changed) || !changesSpec(changed) || !hasLimitRanges(address.resource)) return false;
  return by !== 'invalid' || error.causes.some(({ field }) => /\bresources\b/.test(field));
}

function changesSpec({ before, after }: ChangedObject): boolean {
  return before === undefined || !jsonEqual(before.spec, after?.spec);
}

/** Returns true if an object may give the user a right that was missing, or takes it from the role that a binding refers to. */
function mayPermit(refused: ReadRefusal, changed: ChangedObject): boolean {
  const { step, before, after, namespace } = changed;
  if (refersTo(refused, changed)) return true;
  if (namespace !== undefined && !isInNamespace(refused, changed)) return false;
  const states = [before, after].filter((object) => object !== undefined);
  return states.some((object) => mayGrant(refused.error.message, object, isBinding(step.intent)));
}

function valueAt(object: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((value, member) => (isJsonObject(value) ? value[member] : undefined), object);
}
