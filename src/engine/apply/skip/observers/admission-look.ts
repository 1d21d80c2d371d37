import type { PartialObject } from '../../../../assembly/types.js';
import { metadataOf } from '../../../../fields/object.js';
import type { ClusterClient, Resource } from '../../../../kubernetes/index.js';
import { isForbidden, namespaces } from '../../../../kubernetes/index.js';
import { groupOf } from '../../../../util/api-version.js';
import type { JsonObject } from '../../../../util/json.js';
import { matchesAll, mayMatchLabels, nameLabel, selectorKeys } from '../../../../util/label-selector.js';
import { admissionGroup, admissionResources, policyKinds, webhookKinds } from './admission-kinds.js';
import { hasLabelsOfNamespace, type KindScope, mayObserveObject, type Observer, observesEveryObject } from './observer.js';
import { policyObservers } from './policy-observers.js';
import { hasLimitRanges, limitRangeObserver, quotaObserver } from './quota-observers.js';
import { webhookObservers } from './webhook-observers.js';

/** Returns what sees an update of an object that changes nothing, such as `ValidatingWebhookConfiguration policy`; undefined if nothing does. */
export type SeenBy = (live: JsonObject) => string | undefined;

/** The answer where admission is not looked at. */
export const seesNothing: SeenBy = () => undefined;

/** An object that the run declares, and that may therefore come into effect while the run goes on. */
export interface DeclaredObject {
  readonly object: PartialObject;
  /** The stack has not applied it before, or something else. */
  readonly isNewOrEdited: boolean;
}

/**
 * Looks at the configuration of admission of a cluster: which webhooks, policies, quotas and limits would see a PATCH that changes nothing. Reads it
 * once per instance; a run has one. Whatever cannot be read or is unknown counts as seeing every object.
 */
export class AdmissionLook {
  readonly #cluster: ClusterClient;
  readonly #declared: readonly DeclaredObject[];
  readonly #observers: Promise<readonly Observer[]>;
  readonly #namespaced = new Map<string, Promise<readonly Observer[]>>();
  readonly #labels = new Map<string, Promise<readonly Labels[] | undefined>>();

  /** @param declared objects that the run applies, of which those that concern admission count as if they were in the cluster. */
  constructor(cluster: ClusterClient, declared: readonly DeclaredObject[]) {
    this.#cluster = cluster.withContext({ retryTimeoutMs });
    this.#declared = declared;
    this.#observers = this.#readObservers().catch((error: unknown) => [unreadable(error, 'the configuration of admission')]);
  }

  /**
   * Finds what sees objects of a kind.
   *
   * @returns the name of an observer that sees all of them, or a function that tells it for one object.
   */
  async at(place: KindScope): Promise<string | SeenBy> {
    const { namespace } = place;
    const quotas = namespace === undefined ? [] : this.#inNamespace(resourceQuotas, namespace, quotaObserver);
    const ranges =
      namespace === undefined || !hasLimitRanges(place.resource) ? [] : this.#inNamespace(limitRanges, namespace, limitRangeObserver);
    const all = [...(await this.#observers), ...(await quotas), ...(await ranges)].filter(({ observes }) => observes(place));
    const chosen = await Promise.all(
      all.map(async (observer) => ((await this.#mayMatchNamespace(observer, place)) ? observer : undefined)),
    );
    const observers = chosen.filter((observer) => observer !== undefined);
    const whole = observers.find((observer) => observesEveryObject(observer, place));
    return whole?.source ?? ((live) => observers.find((observer) => mayObserveObject(observer, place, live))?.source);
  }

  async #readObservers(): Promise<readonly Observer[]> {
    const { resources, unavailable } = await this.#cluster.listResources();
    const served = resources.filter(({ apiVersion }) => groupOf(apiVersion) === admissionGroup);
    const unknown = served.find(({ kind }) => !admissionResources.has(kind));
    if (unknown) return [everything(`${unknown.kind}, a kind that this version of Fieldwise does not know`)];
    if (
      unavailable.some(({ apiVersion }) => groupOf(apiVersion) === admissionGroup) ||
      !served.some(({ kind }) => kind === webhookKinds[0])
    )
      return [everything(`the group ${admissionGroup}, which the server does not serve`)];
    const webhooks = webhookKinds.map(async (kind) =>
      (await this.#listed(served, kind)).flatMap((configuration) => webhookObservers(configuration, kind)),
    );
    const policies = policyKinds.map(async (kind) => {
      const [found, bindings] = await Promise.all([this.#listed(served, kind), this.#listed(served, `${kind}Binding`)]);
      return policyObservers(found, bindings, kind);
    });
    const read = await Promise.allSettled([...webhooks, ...policies]);
    return read.flatMap((one) => (one.status === 'fulfilled' ? one.value : [unreadable(one.reason, 'the configuration of admission')]));
  }

  /** Returns the objects of a kind of the admission group, live and declared; none if the server does not serve it. */
  async #listed(served: readonly Resource[], kind: string): Promise<readonly JsonObject[]> {
    const resource = served.find((one) => one.kind === kind);
    const declared = this.#declared.filter(({ object }) => object.kind === kind && groupOf(object.apiVersion) === admissionGroup);
    return [...(resource ? await this.#list(resource) : []), ...declared.map(({ object }) => object)];
  }

  async #list(resource: Resource, namespace?: string): Promise<readonly JsonObject[]> {
    try {
      return await this.#cluster.list(resource, namespace === undefined ? {} : { namespace });
    } catch (error) {
      throw new UnreadableError(resource.plural, error);
    }
  }

  /** Returns the observers that the objects of a kind in a namespace are, live and declared. */
  #inNamespace(resource: Resource, namespace: string, observerOf: (object: JsonObject) => Observer): Promise<readonly Observer[]> {
    return once(this.#namespaced, `${resource.plural} ${namespace}`, async () => {
      const declared = this.#declared
        .map(({ object }) => object)
        .filter(({ apiVersion, kind, metadata }) => {
          return apiVersion === resource.apiVersion && kind === resource.kind && metadata.namespace === namespace;
        });
      try {
        return [...(await this.#list(resource, namespace)), ...declared].map(observerOf);
      } catch (error) {
        return [unreadable(error, resource.plural)];
      }
    });
  }

  /** Returns false if the labels of the namespace certainly do not match. Objects outside of namespaces match each selector of namespaces. */
  async #mayMatchNamespace({ namespaceSelectors }: Observer, { namespace, resource }: KindScope): Promise<boolean> {
    if (namespace === undefined || hasLabelsOfNamespace(resource)) return true;
    const selectors = namespaceSelectors.filter((selector) => !matchesAll(selector));
    if (selectors.length === 0) return true;
    const isDecidedByName = selectors.flatMap(selectorKeys).every((key) => key === nameLabel);
    const all = isDecidedByName ? [{ [nameLabel]: namespace }] : await this.#labelsOf(namespace);
    return all === undefined || all.some((labels) => selectors.every((selector) => mayMatchLabels(selector, labels)));
  }

  /** Returns the labels of a namespace as they are, and as they may become in this run; undefined if they are unknown. */
  #labelsOf(namespace: string): Promise<readonly Labels[] | undefined> {
    return once(this.#labels, namespace, async () => {
      const declared = this.#declared.filter(({ object: { apiVersion, kind, metadata } }) => {
        return apiVersion === 'v1' && kind === 'Namespace' && metadata.name === namespace;
      });
      if (declared.some(({ isNewOrEdited }) => isNewOrEdited)) return undefined;
      const live = await this.#cluster.get({ resource: namespaces, name: namespace }).catch(() => undefined);
      if (live === undefined) return undefined;
      const { labels = {} } = metadataOf(live);
      return [labels, ...declared.map(({ object }) => ({ ...labels, ...metadataOf(object).labels }))];
    });
  }
}

type Labels = Readonly<Record<string, string>>;

/** A list of the configuration of admission could not be read. */
class UnreadableError extends Error {
  readonly resource: string;

  constructor(resource: string, cause: unknown) {
    super(resource, { cause });
    this.resource = resource;
  }
}

function unreadable(error: unknown, what: string): Observer {
  if (!(error instanceof UnreadableError)) return everything(`${what}, which could not be read`);
  return everything(`${error.resource}, which ${isForbidden(error.cause) ? 'these credentials may not list' : 'could not be read'}`);
}

/** Returns an observer that stands for what is unknown. */
function everything(source: string): Observer {
  return { source, observes: () => true, limitsNames: false, namespaceSelectors: [], objectSelectors: [] };
}

function once<Value>(known: Map<string, Promise<Value>>, key: string, read: () => Promise<Value>): Promise<Value> {
  const value = known.get(key) ?? read();
  known.set(key, value);
  return value;
}

const resourceQuotas: Resource = { apiVersion: 'v1', kind: 'ResourceQuota', plural: 'resourcequotas', namespaced: true };
const limitRanges: Resource = { apiVersion: 'v1', kind: 'LimitRange', plural: 'limitranges', namespaced: true };

/** Milliseconds after which a read of the configuration is given up: sending every object takes no longer than that. */
const retryTimeoutMs = 5_000;
