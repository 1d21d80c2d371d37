import { isJsonObject, type Json, type JsonObject } from '../../src/util/json.js';
import type { Comparison } from './compare-tables.js';
import type { Client, Servers } from './servers.js';

const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Resources and subresources that are not served. */
export const unserved: readonly string[] = ['componentstatuses'];

/** The group of an APIService without a server. */
const staleGroup = 'tables.example.com';

/** Compares all discovery documents: lists of groups, of versions and of resources, and the aggregated ones. */
export async function compareDiscovery(servers: Servers): Promise<readonly Comparison[]> {
  const { groups } = (await read(servers.real, '/apis')) as unknown as { groups: { name: string; versions: { groupVersion: string }[] }[] };
  const served = groups.filter(({ name }) => name !== staleGroup);
  const paths = [
    '/api',
    '/apis',
    '/api/v1',
    ...served.map(({ name }) => `/apis/${name}`),
    ...served.flatMap(({ versions }) => versions.map(({ groupVersion }) => `/apis/${groupVersion}`)),
  ];
  return Promise.all([
    ...paths.map((path) => compare(servers, path)),
    ...['/api', '/apis'].map((path) => compare(servers, path, aggregatedType)),
  ]);
}

async function compare({ real, embedded }: Servers, path: string, accept?: string): Promise<Comparison> {
  const [theirs, ours] = await Promise.all([lines(real, path, accept), lines(embedded, path, accept)]);
  const what = `GET ${path}${accept === undefined ? '' : ' aggregated'}`;
  if (theirs.join('\n') === ours.join('\n')) return { what, difference: undefined };
  const lost = theirs.filter((line) => !ours.includes(line)).map((line) => `  real:     ${line}`);
  const added = ours.filter((line) => !theirs.includes(line)).map((line) => `  embedded: ${line}`);
  return { what, difference: [...lost, ...added].join('\n') || '  the lines have another order' };
}

async function read(client: Client, path: string, accept?: string): Promise<JsonObject> {
  return JSON.parse((await client({ path, ...(accept === undefined ? {} : { accept }) })).text) as JsonObject;
}

/** Writes a document as a line for each resource and group, in its order. */
async function lines(client: Client, path: string, accept?: string): Promise<readonly string[]> {
  const { groups, items, resources, serverAddressByClientCIDRs: _, ...rest } = await read(client, path, accept);
  const listed = (resources ?? []) as readonly JsonObject[];
  // The real server lists the custom resources of one group in any order.
  const isCustom = path.startsWith('/apis/tables.');
  const shown = listed.filter(({ name }) => !unserved.includes(String(name))).map((each) => JSON.stringify(each));
  return [
    JSON.stringify(rest),
    ...((groups ?? []) as readonly JsonObject[]).filter(({ name }) => name !== staleGroup).map((each) => JSON.stringify(each)),
    ...(isCustom ? shown.toSorted() : shown),
    ...((items ?? []) as readonly JsonObject[]).flatMap(aggregatedLines),
  ];
}

function aggregatedLines({ metadata, versions }: JsonObject): readonly string[] {
  if (isJsonObject(metadata) && metadata.name === staleGroup) return [];
  const perVersion = (versions as readonly JsonObject[]).flatMap(({ resources, ...version }) => [
    JSON.stringify(version),
    ...(resources as readonly JsonObject[]).filter(({ resource }) => !unserved.includes(String(resource))).map(resourceLine),
  ]);
  return [JSON.stringify(metadata), ...perVersion];
}

function resourceLine({ subresources, ...resource }: JsonObject): string {
  const served = ((subresources ?? []) as readonly JsonObject[]).filter(
    ({ subresource }) => !unserved.includes(`${String(resource.resource)}/${String(subresource)}`),
  );
  return JSON.stringify({ ...resource, subresources: served as unknown as Json });
}
