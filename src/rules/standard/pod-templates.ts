import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';

const templates: Readonly<Record<string, string>> = {
  Pod: '.spec',
  PodTemplate: '.template.spec',
  CronJob: '.spec.jobTemplate.spec.template.spec',
  ...Object.fromEntries(
    ['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job', 'ReplicationController'].map((kind) => [kind, '.spec.template.spec']),
  ),
};

const groups: ReadonlySet<string> = new Set(['v1', 'apps/v1', 'batch/v1']);

/** The lists of containers in a Pod. */
export const containerLists = ['containers', 'initContainers'] as const;

/** Returns the path of the Pod's spec in a built-in kind; undefined for kinds without Pods. */
export function podSpecPath({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string | undefined {
  return groups.has(apiVersion) && Object.hasOwn(templates, kind) ? templates[kind] : undefined;
}

/** Returns the containers of a list by name. */
export function containersIn(object: JsonObject | undefined, podSpec: string, list: string): ReadonlyMap<string, JsonObject> {
  let value: Json | undefined = object;
  for (const name of [...podSpec.split('.').slice(1), list]) value = isJsonObject(value) ? value[name] : undefined;
  const items: readonly Json[] = Array.isArray(value) ? (value as readonly Json[]) : [];
  return new Map(items.flatMap((item) => (isJsonObject(item) && typeof item.name === 'string' ? [[item.name, item] as const] : [])));
}
