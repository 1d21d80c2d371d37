import { type Answered, ApiClient, ApiFailure } from './api-client.js';
import { type Owners, ownersOf } from './managed-fields.js';

/** What names an object; any object literal with these members does. */
export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

export interface ResourceType {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

export function ref(apiVersion: string, kind: string, name: string, namespace?: string): ObjectRef {
  return { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } };
}

const patchTypes = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

/** A cluster as tests see it: the verbs of the API, with names for what they ask most. */
export class TestCluster {
  readonly client: ApiClient;
  readonly #types = new Map<string, Promise<ResourceType[]>>();

  constructor(readonly kubeconfig: string) {
    this.client = new ApiClient(kubeconfig);
  }

  /** Server-side apply as another manager would do it. */
  async apply(manager: string, object: ObjectRef, options: { readonly force?: boolean } = {}): Promise<Answered> {
    const query = { fieldManager: manager, force: String(options.force ?? false) };
    return this.client.call('PATCH', await this.path(object), { body: object, contentType: 'application/apply-patch+yaml', query });
  }

  /** The other way of writing: an Update entry in managedFields. */
  async patch(
    manager: string,
    object: ObjectRef,
    body: unknown,
    type: keyof typeof patchTypes = 'merge',
    subresource = '',
  ): Promise<Answered> {
    const path = (await this.path(object)) + (subresource ? `/${subresource}` : '');
    return this.client.call('PATCH', path, { body, contentType: patchTypes[type], query: { fieldManager: manager } });
  }

  async create(manager: string, object: ObjectRef): Promise<Answered> {
    const path = await this.path(object);
    return this.client.call('POST', path.slice(0, path.lastIndexOf('/')), { body: object, query: { fieldManager: manager } });
  }

  /** @throws where there is none. */
  async get(object: ObjectRef): Promise<Answered> {
    return this.client.call('GET', await this.path(object));
  }

  /** The object, or undefined where there is none. */
  async find(object: ObjectRef): Promise<Answered | undefined> {
    return this.get(object).catch(unlessMissing);
  }

  async list(apiVersion: string, kind: string, namespace?: string): Promise<Answered[]> {
    const path = await this.path(ref(apiVersion, kind, '', namespace));
    return (await this.client.call('GET', path.slice(0, path.lastIndexOf('/')))).items;
  }

  async remove(object: ObjectRef): Promise<void> {
    await this.client.call('DELETE', await this.path(object), { query: { propagationPolicy: 'Background' } }).catch(unlessMissing);
  }

  /** Owners of an object's fields as the server has them now. */
  async owners(object: ObjectRef): Promise<Owners> {
    return ownersOf(await this.get(object));
  }

  async resourceVersion(object: ObjectRef): Promise<string> {
    return (await this.get(object)).metadata.resourceVersion;
  }

  async path({ apiVersion, kind, metadata }: ObjectRef): Promise<string> {
    const type = await this.#typeOf(apiVersion, kind);
    const namespace = type.namespaced ? `/namespaces/${metadata.namespace ?? 'default'}` : '';
    return `${rootOf(apiVersion)}${namespace}/${type.plural}/${metadata.name}`;
  }

  /** All kinds of all groups at their preferred version. */
  async types(): Promise<ResourceType[]> {
    const { groups } = await this.client.call('GET', '/apis');
    const versions = ['v1', ...groups.map((group: Answered) => group.preferredVersion.groupVersion)];
    return (await Promise.all(versions.map((version) => this.#typesOf(version)))).flat();
  }

  /** Whether the server tells of a kind now: it does so a moment after its CustomResourceDefinition is Established. */
  async serves(apiVersion: string, kind: string): Promise<boolean> {
    this.#types.delete(apiVersion);
    return (await this.#typesOf(apiVersion)).some((type) => type.kind === kind);
  }

  async #typeOf(apiVersion: string, kind: string): Promise<ResourceType> {
    const type = await this.#findType(apiVersion, kind);
    if (!type) throw new Error(`the server knows no ${kind} of ${apiVersion}`);
    return type;
  }

  async #findType(apiVersion: string, kind: string): Promise<ResourceType | undefined> {
    for (const known of [true, false]) {
      if (!known) this.#types.delete(apiVersion); // a CustomResourceDefinition may be new
      const type = (await this.#typesOf(apiVersion)).find((candidate) => candidate.kind === kind);
      if (type) return type;
    }
    return undefined;
  }

  #typesOf(apiVersion: string): Promise<ResourceType[]> {
    const known = this.#types.get(apiVersion);
    if (known) return known;
    const asked = this.client.call('GET', rootOf(apiVersion)).then(
      ({ resources }) =>
        resources
          .filter(({ name }: Answered) => !name.includes('/'))
          .map(({ name, kind, namespaced, verbs }: Answered) => ({ apiVersion, kind, plural: name, namespaced, verbs })),
      (error) => unlessMissing(error) ?? [],
    );
    this.#types.set(apiVersion, asked);
    return asked;
  }
}

export function unlessMissing(error: unknown): undefined {
  if (error instanceof ApiFailure && error.status === 404) return undefined;
  throw error;
}

/** Path of an API group and version. */
export function rootOf(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}
