import { objectText } from '../../assembly/index.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject, isList, type Json, type JsonObject } from '../../util/json.js';
import type { DiagnosticCollector } from '../diagnostic-collector.js';
import type { MergedIntent } from './merged-intent.js';

/** The keys of a list with their defaults, which an item without the key has. */
type Keys = Readonly<Record<string, string | undefined>>;

/** Lists of a Pod and of its containers. Source: Kubernetes API, `x-kubernetes-list-map-keys`. */
const podLists: readonly (readonly [name: string, keys: Keys])[] = [
  ['volumes', { name: undefined }],
  ['imagePullSecrets', { name: undefined }],
  ['hostAliases', { ip: undefined }],
  ['topologySpreadConstraints', { topologyKey: undefined, whenUnsatisfiable: undefined }],
];
const containerLists: readonly (readonly [name: string, keys: Keys])[] = [
  ['env', { name: undefined }],
  ['volumeMounts', { mountPath: undefined }],
  ['volumeDevices', { devicePath: undefined }],
  ['ports', { containerPort: undefined, protocol: 'TCP' }],
];
const containers = ['initContainers', 'containers', 'ephemeralContainers'];

/**
 * Rejects repetitions in Pods and Services that the server rejects: two items with the same key (a repeated environment variable), two ports
 * with the same name, one port of the host for two containers. Builders check the first themselves; literals and constructs do not.
 */
export function checkRepeatedItems(intent: MergedIntent, collector: DiagnosticCollector): void {
  const { object, identity, declared } = intent;
  const report: Report = (code, field, what, next) => {
    const location = { object: objectText(identity), field, ...declared[0]?.location };
    collector.add(new FieldwiseError(code, 'usage', what, { location, next }));
  };
  if (identity.kind === 'Service' && identity.apiVersion === 'v1' && isJsonObject(object.spec)) {
    checkKeys(object.spec.ports, '.spec.ports', { port: undefined, protocol: 'TCP' }, report);
    checkNames(object.spec.ports, '.spec.ports', report);
  }
  for (const { path, spec } of podSpecsOf(object)) checkPod(spec, path, report);
}

type Report = (code: 'list-key-duplicate' | 'port-duplicate', field: string, what: string, next: string) => void;

const templates: readonly (readonly string[])[] = [
  ['spec', 'template', 'spec'],
  ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
];

function podSpecsOf(object: JsonObject): { readonly path: string; readonly spec: JsonObject }[] {
  const { apiVersion, kind } = object;
  if (!/^(v1|apps\/v1|batch\/v1)$/.test(String(apiVersion))) return [];
  const paths = kind === 'Pod' ? [['spec']] : kind === 'PodTemplate' ? [['template', 'spec']] : templates;
  return paths.flatMap((names) => {
    let value: Json | undefined = object;
    for (const name of names) value = isJsonObject(value) ? value[name] : undefined;
    return isJsonObject(value) ? [{ path: `.${names.join('.')}`, spec: value }] : [];
  });
}

function checkPod(spec: JsonObject, path: string, report: Report): void {
  for (const [name, keys] of podLists) if (isMany(spec[name])) checkKeys(spec[name], `${path}.${name}`, keys, report);
  for (const list of containers) {
    if (isMany(spec[list])) checkKeys(spec[list], `${path}.${list}`, { name: undefined }, report);
    for (const [index, item] of listOf(spec[list]).entries()) {
      if (!isJsonObject(item)) continue;
      for (const [name, keys] of containerLists) {
        if (isMany(item[name])) checkKeys(item[name], `${path}.${list}[${index}].${name}`, keys, report);
      }
      if (isMany(item.ports)) checkNames(item.ports, `${path}.${list}[${index}].ports`, report);
    }
  }
  if (listOf(spec.containers).some(usesHostPort)) checkHostPorts(spec, path, report);
}

function checkKeys(list: Json | undefined, path: string, keys: Keys, report: Report): void {
  const names = Object.keys(keys);
  const times = new Map<string, number>();
  for (const item of listOf(list)) {
    if (!isJsonObject(item)) continue;
    const values = names.map((name) => item[name] ?? keys[name]);
    if (values.includes(undefined)) continue;
    const [first] = values;
    const known = values.length === 1 && typeof first === 'string' ? `"${first}` : JSON.stringify(values);
    const before = times.get(known) ?? 0;
    if (before === 1) {
      const key = `[${names.map((name, index) => `${name}=${JSON.stringify(values[index])}`).join(',')}]`;
      report('list-key-duplicate', `${path}${key}`, `Two items of ${path} have the same key ${key}`, 'Declare only one item per key.');
    }
    times.set(known, before + 1);
  }
}

function checkNames(ports: Json | undefined, path: string, report: Report): void {
  const seen = new Set<Json>();
  for (const { item, at } of itemsOf(ports, path)) {
    const { name } = item;
    if (typeof name !== 'string' || name === '') continue;
    if (seen.has(name))
      report(
        'port-duplicate',
        `${at}.name`,
        `Two ports of ${path} have the name ${JSON.stringify(name)}`,
        'Give each port a different name.',
      );
    seen.add(name);
  }
}

function usesHostPort(container: Json): boolean {
  return isJsonObject(container) && listOf(container.ports).some((port) => isJsonObject(port) && typeof port.hostPort === 'number');
}

/** Checks the containers of a Pod, which share the ports of its host. Init containers end before the others start, and are not checked. */
function checkHostPorts(spec: JsonObject, path: string, report: Report): void {
  const seen = new Set<string>();
  for (const { item, at } of itemsOf(spec.containers, `${path}.containers`)) {
    for (const { item: port, at: field } of itemsOf(item.ports, `${at}.ports`)) {
      if (typeof port.hostPort !== 'number' || port.hostPort === 0) continue;
      const key = `${String(port.protocol ?? 'TCP')} ${String(port.hostIP ?? '')} ${port.hostPort}`;
      if (seen.has(key))
        report(
          'port-duplicate',
          `${field}.hostPort`,
          `Two ports of one Pod use the host port ${port.hostPort}`,
          'Use different host ports, or leave out hostPort.',
        );
      seen.add(key);
    }
  }
}

/** Returns true for lists of several items; a list of one item has no repetitions and needs no check. */
function isMany(list: Json | undefined): boolean {
  return isList(list) && list.length > 1;
}

function listOf(list: Json | undefined): readonly Json[] {
  return isList(list) ? list : [];
}

function itemsOf(list: Json | undefined, path: string): { readonly item: JsonObject; readonly at: string }[] {
  if (!isList(list)) return [];
  return list.flatMap((item, index) => (isJsonObject(item) ? [{ item, at: `${path}[${index}]` }] : []));
}
