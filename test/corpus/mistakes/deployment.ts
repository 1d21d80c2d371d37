import type { Subject } from './mistake.js';

const members = `
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    strategy: { type: 'Recreate' },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [
          {
            name: 'web', image: 'nginx',
            imagePullPolicy: 'Always',
            args: ['--verbose'],
            env: [{ name: 'MODE', value: 'fast' }],
            ports: [{ containerPort: 8080 }],
          },
        ],
      },
    },
  },`;

export const deployment: Subject = {
  kind: 'Deployment',
  programs: {
    literal: `import type { DeploymentApply } from 'fieldwise/k8s/apps/v1';
export const made: DeploymentApply = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },${members}
};
`,
    builder: `import { container, daemonSetSpec, deployment, deploymentSpec, labelSelector, podSpec, podTemplateSpec } from 'fieldwise/k8s/apps/v1';
export const other = daemonSetSpec();
export const made = deployment('web').withSpec(
  deploymentSpec()
    .withReplicas(2)
    .withSelector(labelSelector().withMatchLabels({ app: 'web' }))
    .withStrategy({ type: 'Recreate' })
    .withTemplate(
      podTemplateSpec().withMetadata({ labels: { app: 'web' } }).withSpec(
        podSpec().withContainers(
          container('web').withImage('nginx').withImagePullPolicy('Always').withPorts({ containerPort: 8080 }),
          { name: 'side', image: 'proxy', env: [{ name: 'MODE', value: 'fast' }] },
        ),
      ),
    ),
);
`,
    cdk8s: `import { Chart } from 'cdk8s';
import { KubeDeployment, type DaemonSetSpec } from './cdk8s/k8s';
export declare const other: DaemonSetSpec;
export const made = new KubeDeployment(new Chart(undefined as never, 'chart'), 'web', {
  metadata: { name: 'web' },${members}
});
`,
    'client-node': `import type { V1DaemonSetSpec, V1Deployment } from '@kubernetes/client-node';
export declare const other: V1DaemonSetSpec;
export const made: V1Deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },${members}
};
`,
    'kubernetes-models': `import type { IDaemonSetSpec, IDeployment } from 'kubernetes-models/apps/v1';
export declare const other: IDaemonSetSpec;
export const made: IDeployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },${members}
};
`,
  },
  mistakes: [
    {
      what: 'a typo of a field at the root',
      field: 'spce',
      meant: 'spec',
      change: ['spec: {\n    replicas', 'spce: {\n    replicas'],
      ways: { builder: ["deployment('web').withSpec(", "deployment('web').withSpce("] },
    },
    {
      what: 'a typo of a field in spec',
      field: 'replica',
      meant: 'replicas',
      change: ['replicas: 2', 'replica: 2'],
      ways: { builder: ['withReplicas(2)', 'withReplica(2)'] },
    },
    {
      what: 'a typo in a list item',
      field: 'imgae',
      meant: 'image',
      change: ["image: 'nginx'", "imgae: 'nginx'"],
      ways: { builder: ["image: 'proxy'", "imgae: 'proxy'"] },
    },
    { what: 'a typo in an item of a list in a list item', field: 'vlaue', meant: 'value', change: ["value: 'fast'", "vlaue: 'fast'"] },
    {
      what: 'the case of a letter',
      field: 'containerport',
      meant: 'containerPort',
      change: ['containerPort: 8080', 'containerport: 8080'],
    },
    {
      what: 'a string for a number',
      field: 'replicas',
      change: ['replicas: 2', "replicas: '2'"],
      ways: { builder: ['withReplicas(2)', "withReplicas('2')"] },
    },
    {
      what: 'a list item without its key',
      field: 'name',
      change: ["name: 'web', image", 'image'],
      ways: { builder: ["name: 'side', image", 'image'] },
    },
    {
      what: 'a value that the enum does not have',
      field: 'imagePullPolicy',
      meant: 'Always',
      change: ["imagePullPolicy: 'Always'", "imagePullPolicy: 'Allways'"],
      ways: { builder: ["withImagePullPolicy('Always')", "withImagePullPolicy('Allways')"] },
    },
    {
      what: 'a value of another type',
      field: 'spec',
      change: [members.trim(), 'spec: other,'],
      ways: { literal: null, builder: ["deployment('web').withSpec(", "deployment('web').withSpec(other).withSpec("] },
    },
    { what: 'a list for an object', field: 'strategy', change: ["{ type: 'Recreate' }", "[{ type: 'Recreate' }]"] },
    { what: 'an object for a list', field: 'ports', change: ['ports: [{ containerPort: 8080 }]', 'ports: { containerPort: 8080 }'] },
    { what: 'a string for a list', field: 'args', change: ["args: ['--verbose']", "args: '--verbose'"] },
    {
      what: 'a misspelt method',
      field: 'withReplcias',
      meant: 'withReplicas',
      ways: { builder: ['withReplicas(2)', 'withReplcias(2)'] },
    },
    {
      what: 'status in the main object',
      field: 'status',
      change: ["metadata: { name: 'web' },", "metadata: { name: 'web' },\n  status: { readyReplicas: 1 },"],
      ways: { builder: ["deployment('web').withSpec(", "deployment('web').withStatus({ readyReplicas: 1 }).withSpec("] },
    },
    {
      what: 'an apiVersion of long ago',
      field: 'apiVersion',
      change: ["apiVersion: 'apps/v1'", "apiVersion: 'extensions/v1beta1'"],
      ways: { cdk8s: ["metadata: { name: 'web' },", "apiVersion: 'extensions/v1beta1', metadata: { name: 'web' },"] },
    },
    {
      what: 'null for a number',
      field: 'replicas',
      change: ['replicas: 2', 'replicas: null'],
      ways: { builder: ['withReplicas(2)', 'withReplicas(null)'] },
    },
    {
      what: 'one level too many',
      field: 'env',
      change: ["[{ name: 'MODE', value: 'fast' }]", "[{ env: { name: 'MODE', value: 'fast' } }]"],
    },
    {
      what: 'one level too few',
      field: 'containers',
      change: ['template: {\n      metadata', 'template: {\n      containers: [],\n      metadata'],
      ways: { builder: ['podTemplateSpec().withMetadata(', 'podTemplateSpec().withContainers([]).withMetadata('] },
    },
  ],
};
