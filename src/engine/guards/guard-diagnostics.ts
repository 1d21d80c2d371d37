import { groupOf, type ObjectIdentity, objectText } from '../../assembly/identity.js';
import { pathCovers } from '../../fields/index.js';
import { ApiError, type ClusterClient } from '../../kubernetes/index.js';
import { admissionGroup } from '../apply/skip/observers/admission-kinds.js';
import { readUserInfo, type UserInfo } from '../history/current-user.js';
import type { RunDiagnostic } from '../report/run-diagnostic.js';
import { guardLabel, guardOf, type LiveGuard } from './guard-manifest.js';

/** Fields of an object that a stack gets from another owner. */
export interface MovedFields {
  readonly object: ObjectIdentity;
  /** The field manager of the stack that gets them. Guards under a former name of the stack are guards of another. */
  readonly manager: string;
  /** Paths such as `.spec.replicas`. */
  readonly fields: readonly string[];
  /** Those of `fields` whose values change. */
  readonly changed: readonly string[];
}

/**
 * Returns warnings about guards of other stacks which keep moved fields from this user: now, where their values change, or at their next
 * change. Asks the server for guards only if fields move, and says nothing if the user may not read them.
 */
export async function guardDiagnostics(cluster: ClusterClient, moved: readonly MovedFields[]): Promise<readonly RunDiagnostic[]> {
  const wanted = moved.filter(({ fields }) => fields.length > 0);
  if (wanted.length === 0) return [];
  const guards = await readGuards(cluster);
  if (guards.length === 0) return [];
  const user = await readUserInfo(cluster);
  if (user === undefined) return [];
  return wanted.flatMap((move) =>
    guards
      .filter((guard) => move.manager !== guard.manager && !isExempt(guard, user))
      .flatMap((guard) => diagnosticOf(guard, move, user) ?? []),
  );
}

/** Reads the guards of a cluster by their label. Returns none if the server has no such policies, or the user may not read them. */
export async function readGuards(cluster: ClusterClient): Promise<readonly LiveGuard[]> {
  try {
    return await listGuards(cluster);
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
}

/** Lists the guards of a cluster, by the annotations of their bindings. Throws ApiError if the user may not list them. */
export async function listGuards(cluster: ClusterClient): Promise<readonly LiveGuard[]> {
  const resource = {
    apiVersion: `${admissionGroup}/v1`,
    kind: 'ValidatingAdmissionPolicyBinding',
    plural: 'validatingadmissionpolicybindings',
    namespaced: false,
  };
  const bindings = await cluster.list(resource, { labelSelector: guardLabel });
  return bindings.flatMap((binding) => guardOf(binding) ?? []);
}

/** Returns true for a user whom a guard lets change its fields. */
function isExempt({ subjects }: LiveGuard, { name, groups }: UserInfo): boolean {
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name);
  const texts = [name, ...(account ? [`sa:${account[1]}/${account[2]}`] : []), ...groups.map((group) => `group:${group}`)];
  return texts.some((text) => subjects.includes(text));
}

function diagnosticOf(guard: LiveGuard, { object, fields, changed }: MovedFields, user: UserInfo): RunDiagnostic | undefined {
  if (guard.group !== groupOf(object.apiVersion) || guard.kind !== object.kind || guard.namespace !== object.namespace) return undefined;
  const guarded = guard.objects.filter(({ names }) => names.includes(object.name)).flatMap((each) => each.fields);
  const isGuarded = (field: string) => guarded.some((path) => pathCovers(path, field) || pathCovers(field, path));
  const found = fields.filter(isGuarded);
  if (found.length === 0) return undefined;
  const now = changed.filter(isGuarded);
  const effect = guard.denies ? 'denies' : 'warns of';
  const when = now.length > 0 ? `${effect} the change of ${now.join(', ')}` : `${effect} later changes of ${found.join(', ')}`;
  return {
    event: 'warning',
    code: 'guarded-by-another-stack',
    message: `The guard ${guard.policy} of ${guard.manager} ${when} of ${objectText(object)} by ${user.name}`,
    next: 'Print and apply the guards of both stacks again, without these fields in that of the previous owner (docs/guard.md).',
  };
}
