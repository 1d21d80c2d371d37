import { readdirSync, readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import type { JsonObject } from '../../src/util/json.js';
import type { Client } from './servers.js';

/** Namespace of the namespaced objects that name none. */
export const namespace = 'tables';

export interface DeclaredObject extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Readonly<Record<string, string>> };
}

/** A resource as discovery lists it. */
export interface ListedResource {
  /** Path of its group and version, such as `/apis/apps/v1`. */
  readonly root: string;
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** Reads the objects of `objects/`; a `status` in them is written through the subresource. */
export function readObjects(): readonly DeclaredObject[] {
  const folder = new URL('./objects/', import.meta.url);
  return readdirSync(folder)
    .toSorted()
    .flatMap((file) => parseAllDocuments(readFileSync(new URL(file, folder), 'utf8')).map((document) => document.toJS() as DeclaredObject));
}

const [minute, hour, day] = [60, 3600, 86_400];

/** Returns Events whose age is near each duration that is shown in another precision. */
export function agedEvents(now: number): readonly DeclaredObject[] {
  const limits = [2 * minute, 10 * minute, 3 * hour, 8 * hour, 2 * day, 8 * day, 2 * 365 * day, 8 * 365 * day];
  const ages = limits.flatMap((limit) => [limit - 40, limit + 5, limit + 3 * hour]);
  return [-100, 0, 30, ...ages].map((age) => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `aged-${age}` },
    involvedObject: { namespace },
    lastTimestamp: `${new Date(now - age * 1000).toISOString().slice(0, 19)}Z`,
  }));
}

/** Returns the resources of all groups and versions of a server, without subresources. */
export async function listResources(client: Client): Promise<readonly ListedResource[]> {
  const { groups } = JSON.parse((await client({ path: '/apis' })).text) as {
    groups: { versions: { groupVersion: string }[] }[];
  };
  const roots = ['/api/v1', ...groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => `/apis/${groupVersion}`))];
  const lists = await Promise.all(
    roots.map(async (root) => {
      const { code, text } = await client({ path: root });
      // The group of an APIService without a server is listed, and not served.
      if (code !== 200) return [];
      const { resources } = JSON.parse(text) as { resources: Omit<ListedResource, 'root'>[] };
      return resources.map((resource) => ({ ...resource, root }));
    }),
  );
  return lists.flat().filter(({ name }) => !name.includes('/'));
}

/** Creates the objects in their order, each on all servers at once, so that their ages are the same; returns a line for each refusal. */
export async function createObjects(clients: readonly Client[], objects: readonly DeclaredObject[]): Promise<readonly string[]> {
  const account: DeclaredObject = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  const first: readonly DeclaredObject[] = [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, account];
  const problems: string[] = [];
  const resources = new Map(await Promise.all(clients.map(async (client) => [client, await listResources(client)] as const)));
  for (const object of [...first, ...objects]) {
    const created = clients.map(async (client) => {
      const resource = resources.get(client)?.find(({ root, kind }) => kind === object.kind && root.endsWith(`/${object.apiVersion}`));
      const refused = resource === undefined ? 'not served' : await create(client, resource, object);
      if (refused !== undefined) problems.push(`${clients.indexOf(client)}: ${object.kind} ${object.metadata.name}: ${refused}`);
      if (object.kind === 'CustomResourceDefinition') resources.set(client, await whenServed(client, object));
    });
    await Promise.all(created);
  }
  return problems;
}

async function create(client: Client, resource: ListedResource, { status, ...object }: DeclaredObject): Promise<string | undefined> {
  const { name, namespace: own = namespace, labels } = object.metadata;
  const path = collectionPath(resource, own);
  const created = await client({ method: 'POST', path, body: object });
  if (created.code !== 201) return created.text;
  if (status !== undefined) {
    const contentType = 'application/merge-patch+json';
    const patched = await client({ method: 'PATCH', path: `${path}/${name}/status`, body: { status }, contentType });
    if (patched.code !== 200) return patched.text;
  }
  if (labels?.tables === 'delete') await client({ method: 'DELETE', path: `${path}/${name}` });
  return undefined;
}

function collectionPath({ root, name, namespaced }: ListedResource, own: string): string {
  return namespaced ? `${root}/namespaces/${own}/${name}` : `${root}/${name}`;
}

/** Waits until the kind of a definition is served in all its versions; returns the resources. */
async function whenServed(client: Client, { spec, metadata }: DeclaredObject): Promise<readonly ListedResource[]> {
  const { group, names, versions } = spec as unknown as { group: string; names: { plural: string }; versions: { name: string }[] };
  const isListed = (resources: readonly ListedResource[]) =>
    versions.every(({ name }) => resources.some((each) => each.root === `/apis/${group}/${name}` && each.name === names.plural));
  for (let tries = 0; tries < 100; tries++) {
    const resources = await listResources(client);
    if (isListed(resources) && (await client({ path: `/apis/${group}/${versions[0]?.name}/${names.plural}` })).code === 200)
      return resources;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${metadata.name} is not served`);
}
