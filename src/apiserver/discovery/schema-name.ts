/** Where the types of a group are defined, if not with the other groups. */
const packages: Readonly<Record<string, string>> = {
  apiextensions: 'io.k8s.apiextensions-apiserver.pkg.apis',
  apiregistration: 'io.k8s.kube-aggregator.pkg.apis',
  meta: 'io.k8s.apimachinery.pkg.apis',
};

/** Types that stand in no group. */
const others: Readonly<Record<string, string>> = {
  'intstr.IntOrString': 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
  'resource.Quantity': 'io.k8s.apimachinery.pkg.api.resource.Quantity',
  'runtime.RawExtension': 'io.k8s.apimachinery.pkg.runtime.RawExtension',
};

/** Returns the name of a type as the real server publishes it: `io.k8s.api.apps.v1.Deployment`. */
export function schemaName(name: string): string {
  const [group = '', type] = name.split('/');
  if (type === undefined) return others[name] ?? name;
  return `${packages[group] ?? 'io.k8s.api'}.${group}.${type.replace(/StatusFields$/, 'Status')}`;
}

/** Returns the name of a custom type: its group backwards, its version and kind. */
export function customSchemaName(group: string, version: string, kind: string): string {
  return [...group.split('.').toReversed(), version, kind].join('.');
}
