import { isJsonObject, type Json, type JsonObject } from '../../src/util/json.js';
import { unserved } from './compare-discovery.js';
import { type DeclaredObject, type ListedResource, listResources, namespace } from './objects.js';
import type { Client, Received, Sent, Servers } from './servers.js';

/** A comparison: undefined if both servers gave the same, else both. */
export interface Comparison {
  readonly what: string;
  readonly difference: string | undefined;
}

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** Cells that controllers of the real server write, or that name a user or an allocated address. */
const ignoredCells: Readonly<Record<string, readonly string[]>> = {
  apiservices: ['Available'],
  certificatesigningrequests: ['Requestor'],
  flowschemas: ['MissingPL'],
};

interface Table extends JsonObject {
  readonly columnDefinitions: readonly { readonly name: string }[] | null;
  readonly rows: readonly { readonly cells: readonly Json[]; readonly object?: JsonObject | null }[];
}

/** Compares the Tables of all kinds: lists, single objects, watches and errors. */
export async function compareTables(servers: Servers, objects: readonly DeclaredObject[]): Promise<readonly Comparison[]> {
  const names = new Set(objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`));
  const resources = (await listResources(servers.real)).filter(({ name, verbs }) => verbs.includes('list') && !unserved.includes(name));
  const comparisons = resources.flatMap((resource) => {
    const { root, name, kind, verbs } = resource;
    const isOurs = (object: string) => names.has(`${kind}/${object}`) || (kind === 'Event' && names.has(`Event/${object}`));
    const path = `${root}/${name}`;
    const shown = (received: Received) => ofTable(received, resource, isOurs);
    return [
      compare(servers, { path, accept: table }, shown),
      ...(verbs.includes('watch')
        ? [compare(servers, { path: `${path}?${initialEvents}`, accept: table }, ofEvents(resource, isOurs))]
        : []),
    ];
  });
  return Promise.all([
    ...comparisons,
    ...requests.map((sent) => compare(servers, { accept: table, ...sent }, ({ code, text }) => `${code} ${comparable(JSON.parse(text))}`)),
  ]);
}

const initialEvents =
  'watch=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&includeObject=None';

const inNamespace = `/api/v1/namespaces/${namespace}`;

/** Requests whose whole response is compared. */
const requests: readonly Sent[] = [
  { path: `${inNamespace}/pods/none` },
  { path: `${inNamespace}/pods/plain` },
  { path: `${inNamespace}/pods?includeObject=Odd` },
  { path: `${inNamespace}/pods?includeObject=Odd&watch=1&timeoutSeconds=1` },
  { path: `${inNamespace}/configmaps/filled?includeObject=Object` },
  { path: `${inNamespace}/configmaps?limit=1&includeObject=None&fieldSelector=metadata.name%3Dfilled` },
  { path: `/apis/apps/v1/namespaces/${namespace}/deployments/rolling/scale` },
  { path: `/apis/apps/v1/namespaces/${namespace}/deployments/rolling/status` },
  { path: `/apis/tables.example.net/v1/namespaces/${namespace}/widgets/full/scale` },
  { method: 'POST', path: `${inNamespace}/configmaps`, body: { metadata: { name: 'posted' } } },
  { method: 'DELETE', path: `${inNamespace}/configmaps/none` },
  { method: 'DELETE', path: `${inNamespace}/secrets?fieldSelector=metadata.name%3Dnone` },
];

/** Sends a request to both servers. Ages pass on, and controllers take their time: a difference is looked at again. */
async function compare({ real, embedded }: Servers, sent: Sent, shown: (received: Received) => string): Promise<Comparison> {
  const send = async (client: Client) => shown(await client(sent));
  let difference: string | undefined;
  for (let tries = 0; tries < 4; tries++) {
    const [theirs, ours] = await Promise.all([send(real), send(embedded)]);
    difference = theirs === ours ? undefined : differingLines(theirs, ours);
    if (difference === undefined || (sent.method ?? 'GET') !== 'GET') break;
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  return { what: `${sent.method ?? 'GET'} ${sent.path}`, difference };
}

function differingLines(real: string, embedded: string): string {
  const [theirs, ours] = [real.split('\n'), embedded.split('\n')];
  const lost = theirs.filter((line) => !ours.includes(line)).map((line) => `  real:     ${line}`);
  const added = ours.filter((line) => !theirs.includes(line)).map((line) => `  embedded: ${line}`);
  return [...lost, ...added].join('\n') || '  the lines have another order';
}

type IsOurs = (name: string) => boolean;

function ofTable({ code, text }: Received, { name }: ListedResource, isOurs: IsOurs): string {
  const body = JSON.parse(text) as JsonObject;
  if (!Array.isArray(body.rows)) return `${code} ${text}`;
  const { columnDefinitions, rows, metadata: _, ...rest } = body as Table;
  const shownRows = rows
    .filter(({ cells }) => isOurs(nameIn(columnDefinitions, cells)))
    .map((row) => comparable(withoutIgnored(name, columnDefinitions, row)));
  return [comparable(rest), ...(columnDefinitions ?? []).map((each) => comparable(each)), ...shownRows].join('\n');
}

function ofEvents(resource: ListedResource, isOurs: IsOurs): (received: Received) => string {
  return ({ code, text }) => {
    const events = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; object: Table });
    if (code !== 200 || events[0]?.object.kind !== 'Table') return `${code} ${text}`;
    const definitions = events[0].object.columnDefinitions;
    // A watch of APIServices repeats the definitions on the real server.
    const later = resource.name === 'apiservices' ? 0 : events.slice(1).filter(({ object }) => object.columnDefinitions !== null).length;
    const rows = events
      .filter(({ type, object }) => type === 'BOOKMARK' || isOurs(nameIn(definitions, object.rows[0]?.cells ?? [])))
      .map(({ type, object }) => `${type} ${object.rows.map((row) => comparable(withoutIgnored(resource.name, definitions, row))).join()}`);
    return [`definitions: ${definitions !== null}, again: ${later}`, ...rows].join('\n');
  };
}

function nameIn(definitions: Table['columnDefinitions'], cells: readonly Json[]): string {
  const index = (definitions ?? []).findIndex(({ name }) => name === 'Name');
  return String(cells[index]).replace(/ \(default\)$/, '');
}

function withoutIgnored(name: string, definitions: Table['columnDefinitions'], row: Table['rows'][number]): JsonObject {
  const ignored = ignoredCells[name] ?? [];
  const cells = row.cells.map((cell, index) => (ignored.includes(definitions?.[index]?.name ?? '') ? null : cell));
  return { ...row, cells };
}

/** Members that differ by chance, and descriptions, which are not copied. */
const ignoredMembers = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'managedFields',
  'description',
  'deletionTimestamp',
  'generation',
  'finalizers',
  'deletionGracePeriodSeconds',
]);

/** Writes a value without what differs by chance: times, ages of seconds, uids and addresses. */
export function comparable(value: Json, ignored: ReadonlySet<string> = ignoredMembers): string {
  return JSON.stringify(value, (name, member) => (ignored.has(name) ? undefined : sorted(member)))
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
    .replace(/"\d\d?s"/g, '"SECONDS"')
    .replace(/"2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/g, '"TIME"')
    .replace(/"\d+(?:\.\d+){3}"(?=,"[^"]*","[\d,:/]*(?:TCP|UDP))/g, '"ADDRESS"');
}

function sorted(value: Json): Json {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1)));
}
