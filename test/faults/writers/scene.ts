import type { Random } from '../../corpus/random.js';
import { ApiCallError, type ResponseBody } from '../../harness/api-client.js';
import { removeNamespace } from '../../harness/cleanup.js';
import { type ObjectRef, ref, TestCluster } from '../../harness/cluster.js';
import { crdOf } from '../../harness/crd.js';

const shares = 4;
/** Objects that stacks own, and those that they share. */
export const configNames: readonly string[] = [
  ...Array.from({ length: shares }, (_, index) => `shared-${index}`),
  'own-0',
  'own-1',
  'own-2',
];
export const panelNames: readonly string[] = ['panel-0', 'panel-1'];
/** Keys of ConfigMaps that stacks declare and others write to. */
export const keys: readonly string[] = ['a', 'b', 'c', 'common'];
export const panelGroup = 'writers.example.com';
export const panelVersion = `${panelGroup}/v1`;

/** The list type of `.spec.entries` of a Panel. */
export type ListType = 'map' | 'atomic';

/** The namespace in which everybody writes; foreign writes are noted by the resourceVersion that they made. */
export class Scene {
  readonly foreign = new Set<string>();
  readonly cluster: TestCluster;
  #listType: ListType = 'map';
  #written = 0;

  constructor(
    kubeconfig: string,
    readonly namespace: string,
    readonly random: Random,
  ) {
    this.cluster = new TestCluster(kubeconfig);
  }

  /** The definition of Panels, the namespace, and what its owner has in it. */
  async furnish(): Promise<void> {
    await this.#define();
    await this.#makeNamespace();
  }

  /** Makes one write of another manager; a rejected one, because others were faster, does not count. */
  async write(): Promise<void> {
    const kind = this.random.below(100);
    try {
      if (kind < 30) await this.#note(this.#apply(true));
      else if (kind < 45) await this.#note(this.#apply(false));
      else if (kind < 70) await this.#note(this.#update());
      else if (kind < 85) await this.#note(this.#panel());
      else if (kind < 92) await this.#note(this.#drop());
      else await this.#replaceObject();
    } catch (error) {
      if (!(error instanceof ApiCallError) || ![403, 404, 409, 422, 500].includes(error.status)) throw error;
    }
  }

  /** Changes a map list into one value, or back. */
  async flipListType(): Promise<void> {
    this.#listType = this.#listType === 'map' ? 'atomic' : 'map';
    await this.#define();
  }

  /** Somebody deletes the namespace, and it comes again. */
  async renewNamespace(): Promise<void> {
    await removeNamespace(this.cluster, this.namespace, false);
    while (await this.cluster.find(ref('v1', 'Namespace', this.namespace))) await new Promise((resolve) => setTimeout(resolve, 20));
    await this.#makeNamespace();
  }

  /** A write whose state a watch of its kind must tell of after all that was written before. */
  async mark(kind: 'ConfigMap' | 'Panel'): Promise<string> {
    const object = kind === 'Panel' ? this.#panelObject('marker', {}) : this.#config('marker', {});
    const annotations = { mark: this.#fresh() };
    const marked = await this.cluster.apply('marker', { ...object, metadata: { ...object.metadata, annotations } }, { force: true });
    return marked.metadata.resourceVersion;
  }

  /** Collections to watch, by kind. */
  get collections(): ReadonlyMap<string, string> {
    return new Map([
      ['ConfigMap', `/api/v1/namespaces/${this.namespace}/configmaps`],
      ['Panel', `/apis/${panelVersion}/namespaces/${this.namespace}/panels`],
    ]);
  }

  async objects(): Promise<ResponseBody[]> {
    const lists = await Promise.all([
      this.cluster.list('v1', 'ConfigMap', this.namespace),
      this.cluster.list(panelVersion, 'Panel', this.namespace),
    ]);
    return lists.flat();
  }

  async leave(): Promise<void> {
    await removeNamespace(this.cluster, this.namespace, false);
    this.cluster.client.close();
  }

  async #makeNamespace(): Promise<void> {
    await this.cluster.create('somebody', ref('v1', 'Namespace', this.namespace));
    for (const name of configNames.slice(0, shares))
      await this.#note(this.cluster.apply('owner', this.#config(name, { owner: this.#fresh() }), { force: true }));
    for (const name of panelNames) {
      await this.#note(
        this.cluster.apply('owner', this.#panelObject(name, { title: this.#fresh(), entries: [{ name: 'owner', note: 'theirs' }] }), {
          force: true, // the others write all the time
        }),
      );
    }
  }

  async #define(): Promise<void> {
    const entry = {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, note: { type: 'string' }, more: { type: 'string' } },
    };
    const listType =
      this.#listType === 'map'
        ? { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }
        : { 'x-kubernetes-list-type': 'atomic' };
    const spec = { type: 'object', properties: { title: { type: 'string' }, entries: { type: 'array', ...listType, items: entry } } };
    await this.cluster.apply('author', crdOf(panelGroup, 'Panel', { spec }), { force: true });
    while (!(await this.cluster.serves(panelVersion, 'Panel'))) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  #apply(force: boolean): Promise<ResponseBody> {
    const key = this.random.chance(0.6) ? this.random.pick(keys) : `rival-${this.random.below(3)}`;
    return this.cluster.apply(
      this.random.pick(['rival', 'platform']),
      this.#config(this.random.pick(configNames), { [key]: this.#fresh() }),
      { force },
    );
  }

  #update(): Promise<ResponseBody> {
    const name = this.random.pick(configNames);
    return this.cluster.patch('tool', this.#config(name), { data: { [this.random.pick(keys)]: this.#fresh(), tool: this.#fresh() } });
  }

  #drop(): Promise<ResponseBody> {
    const name = this.random.pick(configNames);
    return this.cluster.patch('cleaner', this.#config(name), {
      data: { [this.random.pick(keys)]: null },
      metadata: { annotations: { cleaned: this.#fresh() } },
    });
  }

  #panel(): Promise<ResponseBody> {
    const name = this.random.pick(panelNames);
    if (this.random.chance(0.3)) return this.cluster.patch('tool', this.#panelObject(name), { spec: { title: this.#fresh() } });
    const entry = { name: this.random.pick(['stack-0', 'stack-1', 'rival']), [this.random.pick(['note', 'more'])]: this.#fresh() };
    return this.cluster.apply('rival', this.#panelObject(name, { entries: [entry] }), { force: this.random.chance(0.7) });
  }

  async #replaceObject(): Promise<void> {
    const name = this.random.pick(configNames);
    await this.cluster.remove(this.#config(name));
    if (this.random.chance(0.7)) await this.#note(this.cluster.apply('owner', this.#config(name, { owner: this.#fresh() })));
  }

  async #note(write: Promise<ResponseBody>): Promise<void> {
    this.foreign.add((await write).metadata.resourceVersion);
  }

  #config(name: string, data?: Readonly<Record<string, string>>): ObjectRef {
    return { ...ref('v1', 'ConfigMap', name, this.namespace), ...(data ? { data } : {}) };
  }

  #panelObject(name: string, spec?: object): ObjectRef {
    return { ...ref(panelVersion, 'Panel', name, this.namespace), ...(spec ? { spec } : {}) };
  }

  /** A value that was never there, so that every write is one. */
  #fresh(): string {
    this.#written += 1;
    return `theirs ${this.#written}`;
  }
}
