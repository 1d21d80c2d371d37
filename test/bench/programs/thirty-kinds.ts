/** Built-in kinds by the module of their builders. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  'core/v1': [
    ...['configMap', 'endpoints', 'limitRange', 'namespace', 'persistentVolume', 'persistentVolumeClaim', 'pod', 'podTemplate'],
    ...['replicationController', 'resourceQuota', 'secret', 'service', 'serviceAccount'],
  ],
  'apps/v1': ['daemonSet', 'deployment', 'replicaSet', 'statefulSet'],
  'autoscaling/v1': ['horizontalPodAutoscaler'],
  'batch/v1': ['cronJob', 'job'],
  'networking/v1': ['ingress', 'ingressClass', 'networkPolicy'],
  'policy/v1': ['podDisruptionBudget'],
  'rbac/v1': ['clusterRole', 'clusterRoleBinding', 'role', 'roleBinding'],
  'scheduling/v1': ['priorityClass'],
  'storage/v1': ['storageClass'],
};

/** What the constructors of cdk8s-plus require. */
const required: Readonly<Record<string, string>> = {
  clusterRoleBinding: `roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'web' }`,
  roleBinding: `roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'web' }`,
  priorityClass: 'value: 1',
  storageClass: `provisioner: 'example.com/disks'`,
};

const names = Object.values(kinds).flat();

export const kindCount = names.length;

/** Returns a program of Fieldwise with an object of each kind. */
export function fieldwiseKinds(): string {
  const imports = Object.entries(kinds).map(([module, builders]) => `import { ${builders.join(', ')} } from 'fieldwise/k8s/${module}';\n`);
  const owned = names.map((kind) => `stack.own(${kind}('web').withMetadata({ labels: { app: 'web' } }));\n`);
  return [
    `import { App, Stack } from 'fieldwise';\n`,
    ...imports,
    `const app = new App({ name: 'shop' });\nconst stack = new Stack(app, 'all');\n`,
    ...owned,
    'app.synth();\n',
  ].join('');
}

/** Returns a program of cdk8s-plus with an object of each kind. */
export function cdk8sKinds(): string {
  const objects = names.map((kind) => {
    const more = required[kind];
    const props = `{ metadata: { name: 'web', labels: { app: 'web' } }${more === undefined ? '' : `, ${more}`} }`;
    return `new k8s.Kube${kind.charAt(0).toUpperCase()}${kind.slice(1)}(chart, '${kind}', ${props});\n`;
  });
  return [
    `import { App, Chart } from 'cdk8s';\nimport { k8s } from 'cdk8s-plus-33';\n`,
    `const app = new App();\nconst chart = new Chart(app, 'all');\n`,
    ...objects,
    'app.synth();\n',
  ].join('');
}
