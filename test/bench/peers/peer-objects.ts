import type { JsonObject } from '../../../lib/src/util/json.js';
import { builtInObjects, type MakeObject, metadataOf, nameOf } from '../objects.js';

const group = 'bench.example.com';
const makers: readonly MakeObject[] = [...builtInObjects, role, roleBinding, widget];

/** The CustomResourceDefinition of one of the kinds. It exists before any tool runs: Helm cannot create it in the release that uses it. */
export const widgetDefinition: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: widgetSchema() } }],
  },
};

/** Mixed objects of seven kinds, spread over namespaces. */
export function peerObjects(count: number, namespaces: readonly string[]): JsonObject[] {
  return Array.from({ length: count }, (_, index) =>
    makers[index % makers.length]!(nameOf(index), namespaces[index % namespaces.length]!, index),
  );
}

/** The same objects with one value of one ConfigMap changed. */
export function withOneChange(objects: readonly JsonObject[]): JsonObject[] {
  const place = objects.findIndex(({ kind }) => kind === 'ConfigMap');
  return objects.map((object, index) => (index === place ? { ...object, data: { ...(object.data as JsonObject), mode: 'slow' } } : object));
}

/** The path of an object on the server. */
export function pathOf(object: JsonObject): string {
  const { name, namespace } = object.metadata as { readonly name: string; readonly namespace: string };
  const apiVersion = object.apiVersion as string;
  return `${apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`}/namespaces/${namespace}/${(object.kind as string).toLowerCase()}s/${name}`;
}

function role(name: string, namespace: string, index: number): JsonObject {
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }];
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: metadataOf(name, namespace, index), rules };
}

function roleBinding(name: string, namespace: string, index: number): JsonObject {
  const metadata = metadataOf(name, namespace, index);
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name };
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata, subjects, roleRef };
}

function widget(name: string, namespace: string, index: number): JsonObject {
  const spec = {
    size: 3,
    parts: [
      { name: 'wheel', count: 4 },
      { name: 'door', count: 2 },
    ],
    options: { color: 'red', finish: 'matt' },
  };
  return { apiVersion: `${group}/v1`, kind: 'Widget', metadata: metadataOf(name, namespace, index), spec };
}

function widgetSchema(): JsonObject {
  const text = { type: 'string' };
  const part = { type: 'object', required: ['name'], properties: { name: text, count: { type: 'integer', default: 1 } } };
  const parts = { type: 'array', items: part, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
  const options = { type: 'object', additionalProperties: text };
  const spec = { type: 'object', properties: { size: { type: 'integer' }, parts, options } };
  return { type: 'object', properties: { spec } };
}
