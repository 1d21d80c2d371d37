import { addressIfServed, resourceIfServed } from '../engine/addresses/address.js';
import { admissionGroup, webhookKinds } from '../engine/apply/skip/observers/admission-kinds.js';
import { hasLabelsOfNamespace, type KindScope, mayObserveObject, type Observer } from '../engine/apply/skip/observers/observer.js';
import { policyObservers } from '../engine/apply/skip/observers/policy-observers.js';
import { webhookObservers } from '../engine/apply/skip/observers/webhook-observers.js';
import type { PlannedObject } from '../engine/report/plan-types.js';
import type { RunDiagnostic } from '../engine/report/run-diagnostic.js';
import { type ClusterClient, isForbidden } from '../kubernetes/index.js';
import type { JsonObject } from '../util/json.js';
import { mayMatchNamespaceNamed } from '../util/label-selector.js';
import type { UnaskedObject } from './plan.js';

/** The number of objects, and of webhooks, that the warning names. */
const maxNamed = 3;

type Operation = NonNullable<KindScope['operation']>;

/**
 * Returns the warning that names the webhooks and MutatingAdmissionPolicies that may see planned writes, and that were not asked about them, since the
 * server was sent no dry run; undefined if there are none. Conditions are not evaluated, and selectors of namespaces only by their names: else each is
 * taken to hold.
 */
export async function webhooksNotAsked(cluster: ClusterClient, unasked: readonly UnaskedObject[]): Promise<RunDiagnostic | undefined> {
  const read = await readObservers(cluster);
  if ('forbidden' in read) {
    const [{ planned } = { planned: { object: '' } }] = unasked;
    return notAsked(
      `Webhooks of the cluster were not asked about ${listed([planned.object], unasked.length)}, and these credentials may not list ${read.forbidden}: nobody knows what they would say`,
    );
  }
  if (read.observers.length === 0) return undefined;
  const seen: { readonly object: string; readonly sources: readonly string[] }[] = [];
  for (const { planned, states } of unasked) {
    const object = states.after ?? states.before;
    const found = (await addressIfServed(cluster, planned)) ?? addressOfNewKind(planned);
    const sources = read.observers.filter((observer) =>
      operationsOf(planned).some((operation) => {
        const place = { resource: found.resource, namespace: found.namespace, operation };
        if (!mayMatchNamespaceOf(observer, place)) return false;
        return object === undefined ? observer.observes(place, planned.name) : mayObserveObject(observer, place, object);
      }),
    );
    if (sources.length > 0) seen.push({ object: planned.object, sources: sources.map(({ source }) => source) });
  }
  if (seen.length === 0) return undefined;
  const sources = [...new Set(seen.flatMap((one) => one.sources))];
  const objects = seen.map(({ object }) => object);
  return notAsked(
    `${listed(sources, sources.length)} ${sources.length === 1 ? 'was' : 'were'} not asked about ${listed(objects, objects.length)}: without a dry run on the server, nobody knows what ${sources.length === 1 ? 'it' : 'they'} would say`,
  );
}

/** Returns false if the name of the namespace shows that an observer does not look at it. */
function mayMatchNamespaceOf({ namespaceSelectors }: Observer, { namespace, resource }: KindScope): boolean {
  if (namespace === undefined || hasLabelsOfNamespace(resource)) return true;
  return namespaceSelectors.every((selector) => mayMatchNamespaceNamed(selector, namespace));
}

function notAsked(message: string): RunDiagnostic {
  return {
    event: 'warning',
    code: 'webhooks-not-asked',
    message,
    next: 'The deploy asks them (docs/policies.md#objects-without-a-dry-run).',
  };
}

/** Lists the first names, and counts the others. */
function listed(names: readonly string[], count: number): string {
  const named = names.slice(0, maxNamed);
  return `${named.join(', ')}${count > named.length ? ` and ${count - named.length} more` : ''}`;
}

/** Returns the address of an object of a kind that the plan itself defines; webhooks that are for all kinds see it, too. */
function addressOfNewKind({ apiVersion, kind, namespace }: PlannedObject): KindScope {
  return { resource: { apiVersion, kind, plural: `${kind.toLowerCase()}s`, namespaced: namespace !== undefined }, namespace };
}

function operationsOf({ action }: PlannedObject): readonly Operation[] {
  if (action === 'create') return ['CREATE'];
  if (action === 'delete') return ['DELETE'];
  return action === 'recreate' ? ['DELETE', 'CREATE'] : ['UPDATE'];
}

async function readObservers(
  cluster: ClusterClient,
): Promise<{ readonly observers: readonly Observer[] } | { readonly forbidden: string }> {
  const policyKind = 'MutatingAdmissionPolicy';
  const kinds = [...webhookKinds, policyKind, `${policyKind}Binding`];
  const found = await Promise.all(
    kinds.map(async (kind) => {
      const resource = await resourceIfServed(cluster, `${admissionGroup}/v1`, kind);
      try {
        return { kind, items: resource ? await cluster.list(resource, {}) : [] };
      } catch (error) {
        if (!isForbidden(error)) throw error;
        return { kind, forbidden: resource?.plural ?? kind };
      }
    }),
  );
  const forbidden = found.find((one) => one.forbidden !== undefined)?.forbidden;
  if (forbidden !== undefined) return { forbidden };
  const itemsOf = (wanted: string): readonly JsonObject[] => found.find(({ kind }) => kind === wanted)?.items ?? [];
  const webhooks = webhookKinds.flatMap((kind) => itemsOf(kind).flatMap((configuration) => webhookObservers(configuration, kind)));
  return { observers: [...webhooks, ...policyObservers(itemsOf(policyKind), itemsOf(`${policyKind}Binding`), policyKind)] };
}
