import { ApiServer, type ReviewedWrite } from '../embedded/index.js';
import { admissionGroup } from '../engine/apply/skip/observers/admission-kinds.js';
import type { Judgment } from '../engine/report/judgment.js';
import type { PlannedObject } from '../engine/report/plan-types.js';
import { ApiError } from '../kubernetes/index.js';
import type { PlannedStates } from '../plan/plan.js';
import { groupOf } from '../util/api-version.js';
import { FieldwiseError } from '../util/error.js';
import type { JsonObject } from '../util/json.js';
import { inProcessClient } from './in-process.js';

/** An object that policies are, or read. */
export interface PolicyDocument {
  readonly object: JsonObject;
  /** Position such as `policies.yaml:12`. */
  readonly source: string;
}

/** Decides on a planned object by admission policies. */
export type PolicyCheck = (planned: PlannedObject, states: PlannedStates) => readonly Judgment[];

/** Returns true for a policy or a binding, of whatever kind. */
export function isPolicyDocument({ apiVersion, kind }: JsonObject): boolean {
  return groupOf(String(apiVersion)) === admissionGroup && /AdmissionPolicy(Binding)?$/.test(String(kind));
}

/**
 * Starts an API server in this process that has the policies and what they read, and returns the function by which they decide on a plan.
 *
 * @param documents policies, bindings, parameters, definitions and Namespaces
 * @param strict if what is not evaluated is denied
 * @throws FieldwiseError `admission-invalid` for a policy that a server would refuse
 */
export async function startPolicyReview(documents: readonly PolicyDocument[], strict: boolean): Promise<PolicyCheck> {
  const server = await ApiServer.create({ controllers: false, webhooks: false });
  const isDefinition = ({ object }: PolicyDocument) => object.kind === 'CustomResourceDefinition';
  const others = documents.filter(({ object }) => !isPolicyDocument(object));
  for (const document of [...others.filter(isDefinition), ...others.filter((each) => !isDefinition(each))]) {
    const object = document.object.kind === 'Namespace' ? withNameLabel(document.object) : document.object;
    if (!server.load(object)) throw invalid(document, `no definition of kind ${String(object.kind)} is among them`);
  }
  for (const document of documents.filter(({ object }) => isPolicyDocument(object))) await create(server, document);
  const review = await server.policyReviewer();
  return (planned, states) => writesOf(planned, states).flatMap((write) => judgmentsOf(review, write, strict));
}

/** Creates a policy as a client would, so that it is validated and has its defaults. */
async function create(server: ApiServer, document: PolicyDocument): Promise<void> {
  const client = inProcessClient(server, 'default');
  const { apiVersion, kind, metadata } = document.object as { apiVersion: string; kind: string; metadata?: { name?: string } };
  try {
    const resource = await client.resourceOf(apiVersion, kind);
    await server
      .handle({
        method: 'POST',
        path: `/apis/${apiVersion}/${resource.plural}`,
        query: new URLSearchParams(),
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(document.object),
      })
      .then(({ code, body }) => {
        if (code >= 400) throw new ApiError('POST', `${kind} ${metadata?.name ?? ''}`, code, body);
      });
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

function judgmentsOf(
  review: (write: ReviewedWrite) => ReturnType<Awaited<ReturnType<ApiServer['policyReviewer']>>>,
  write: ReviewedWrite | string,
  strict: boolean,
): readonly Judgment[] {
  const unknown = strict ? 'deny' : 'not-evaluated';
  const text = (reads: string) => `${strict ? 'it cannot be evaluated, because it' : 'it'} reads ${reads}, which a plan does not know`;
  if (typeof write === 'string') return [{ rule: 'all policies', verdict: unknown, message: text(write), source: 'policy' }];
  const { findings, notEvaluated } = review(write);
  const bound = (binding: string | undefined) => (binding === undefined ? {} : { binding });
  return [
    ...findings.map(({ policy, binding, action, message }): Judgment => {
      return { rule: policy, verdict: verdicts[action], message, source: 'policy', ...bound(binding) };
    }),
    ...notEvaluated.map(({ policy, binding, reads }): Judgment => {
      return { rule: policy, verdict: unknown, message: text(reads), source: 'policy', ...bound(binding) };
    }),
  ];
}
