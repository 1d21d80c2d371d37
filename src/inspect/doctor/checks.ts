import { editedWarnings } from '../../engine/inventory/edited-inventory.js';
import { InventoryStore, type StackIdentity } from '../../engine/inventory/inventory-store.js';
import { defaultInventoryNamespace } from '../../engine/inventory/namespace.js';
import { appliesOnServer } from '../../engine/prepare/effective-strategy.js';
import { clockDifferenceText } from '../../engine/run/clock-warning.js';
import { type AccessReview, type ClusterClient, isAllowed, readClusterUid } from '../../kubernetes/index.js';
import { FieldwiseError } from '../../util/error.js';
import { entryBytes, readRecords, recordRights } from '../rbac/records.js';

/** The result of one check of what a deploy needs of a cluster. */
export interface Check {
  readonly event: 'check';
  readonly check: string;
  readonly ok: boolean;
  /** Nothing is known, for the reason in `detail`; `ok` is false then. */
  readonly notRead?: true;
  readonly detail: string;
  /** The permission that a deploy needs, such as `update leases`, with the names of records that lack it where others have it. */
  readonly right?: string;
  /** The namespace of that permission. */
  readonly namespace?: string;
  /** The command that needs that permission: `diff`, with a deploy, or a deploy alone. */
  readonly neededBy?: 'diff' | 'deploy';
}

/** Returns a check of which nothing is known. */
export function notRead(check: string, reason: string): Check {
  return { event: 'check', check, ok: false, notRead: true, detail: reason };
}

/** Returns true for credentials that may read what a plan needs, and may write nothing of what a deploy writes. */
export function areOfPlanner(checks: readonly Check[]): boolean {
  const mayRead = checks.some(({ ok, neededBy }) => ok && neededBy === 'diff');
  return mayRead && !checks.some(({ ok, right = '' }) => writing.test(right) && (ok || right.split(' ').length > 2));
}

/** A permission of which names follow is missing for these names alone. */
const writing = /^(?:create|update|patch|delete) /;

/** Returns the checks that failed: what a deploy alone needs is not missed by credentials for plans. */
export function failedChecks(checks: readonly Check[]): readonly Check[] {
  const isPlanner = areOfPlanner(checks);
  return checks.filter(({ ok, notRead: isUnread, neededBy }) => !ok && !isUnread && !(isPlanner && neededBy === 'deploy'));
}

/**
 * Checks that a cluster meets the needs of a deploy: server, version, and rights in the namespace of the inventories. Rights limited to the
 * names of inventories and locks suffice, but these names are known only of the given stacks.
 *
 * @throws FieldwiseError `cluster-unreachable`, `authentication-failed`.
 */
export async function checkCluster(
  cluster: ClusterClient,
  inventoryNamespace?: string,
  stacks: readonly CheckedStack[] = [],
): Promise<readonly Check[]> {
  const namespace = inventoryNamespace ?? defaultInventoryNamespace;
  const version = await cluster.version();
  const rights = stacks.flatMap(({ identity, objects }) => {
    const bytes = objects.reduce<number>((sum, object) => sum + entryBytes(JSON.stringify(object)), 0);
    return recordRights(identity, bytes);
  });
  const found = await readClusterUid(cluster);
  return [
    { event: 'check', check: 'server', ok: true, detail: cluster.server },
    // An unknown uid fails no deploy, unless the environment is pinned; then no command gets here.
    found.uid === undefined
      ? notRead('cluster uid', String(found.reason))
      : { event: 'check', check: 'cluster uid', ok: true, detail: found.uid },
    {
      event: 'check',
      check: 'version',
      ok: true,
      detail: appliesOnServer(version) ? version : `${version}, older than 1.22: intents are merged client-side (strategy dynamic)`,
    },
    clockCheck(cluster),
    ...(await checkRights(cluster, namespace, rights)),
  ];
}

async function checkRights(cluster: ClusterClient, namespace: string, rights: ReturnType<typeof recordRights>): Promise<readonly Check[]> {
  const checks = await Promise.all(
    anyRecord.flatMap(({ group, resource, verbs }) =>
      verbs.map((verb) => {
        const names = rights.flatMap((right) => (right.resource === resource && right.verbs.includes(verb) ? (right.name ?? []) : []));
        return checkRight(cluster, { group, resource, verb, namespace }, names);
      }),
    ),
  );
  const answered = checks.filter((check) => check !== undefined);
  if (answered.length === checks.length) return answered;
  return [...answered, notRead('permission', 'the server does not answer access reviews')];
}

/** Checks that the inventories of stacks are as a run wrote them. */
export async function inventoryChecks(
  cluster: ClusterClient,
  namespace: string | undefined,
  stacks: readonly CheckedStack[],
): Promise<readonly Check[]> {
  const check = (ok: boolean, detail: string): Check => ({ event: 'check', check: 'inventory', ok, detail });
  const store = new InventoryStore(cluster, namespace);
  try {
    const found = (await Promise.all(stacks.map(({ identity }) => store.read(identity)))).flat();
    return found.flatMap((inventory) => {
      const { stack, readError } = inventory;
      const problems = [...(readError ? [readError] : []), ...editedWarnings([inventory])];
      if (problems.length === 0) return [check(true, `that of stack ${stack.stack} is as a run wrote it`)];
      return problems.map(({ message, next }) => check(false, `${message}. ${next ?? ''}`.trim()));
    });
  } catch (error) {
    if (!(error instanceof FieldwiseError)) throw error;
    return [notRead('inventory', error.message)];
  }
}

function clockCheck(cluster: ClusterClient): Check {
  if (cluster.clockDifference() === undefined) return notRead('clock', 'the server does not tell its time');
  const difference = clockDifferenceText(cluster);
  const detail =
    difference === undefined
      ? 'as that of the server'
      : `the clock of this machine is ${difference}, compared with that of the server: set it, else tokens and certificates fail, and the history gets wrong times`;
  return { event: 'check', check: 'clock', ok: difference === undefined, detail };
}

/** A stack whose inventory and lock are checked by name. */
export interface CheckedStack {
  readonly identity: StackIdentity;
  /** The objects that the stack declares. */
  readonly objects: readonly object[];
}

const anyRecord = recordRights({ app: '', instance: '', stack: '', manager: '' }, 0);

function isOfPlan({ resource, verb }: AccessReview): boolean {
  return readRecords.some((right) => right.resource === resource && right.verbs.includes(verb));
}

/** Returns undefined where the server does not answer access reviews. */
async function checkRight(cluster: ClusterClient, right: AccessReview, names: readonly string[]): Promise<Check | undefined> {
  const { verb, resource, namespace } = right;
  const text = `${verb} ${resource} in namespace ${namespace}`;
  const check = (ok: boolean, detail: string, missing: readonly string[] = []): Check => ({
    event: 'check',
    check: 'permission',
    ok,
    detail,
    right: [`${verb} ${resource}`, ...missing].join(' '),
    ...(namespace === undefined ? {} : { namespace }),
    neededBy: isOfPlan(right) ? 'diff' : 'deploy',
  });
  const allowed = await isAllowed(cluster, right);
  if (allowed === undefined) return undefined;
  if (allowed || names.length === 0) return check(allowed, text);
  const single = await Promise.all(
    names.map(async (name) => ((await isAllowed(cluster, { ...right, name })) === false ? name : undefined)),
  );
  const missing = single.filter((name) => name !== undefined);
  if (missing.length === 0) return check(true, `${text}, by the names that the program needs`);
  return check(false, `${text}: ${missing.join(', ')}`, missing.length < names.length ? missing : []);
}
