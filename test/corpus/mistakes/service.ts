import type { Subject } from './mistake.js';

const members = (clusterIP = 'clusterIP') => `
  spec: {
    type: 'NodePort',
    ${clusterIP}: 'None',
    sessionAffinity: 'None',
    selector: { app: 'web' },
    ports: [{ name: 'http', port: 80 }],
  },`;

export const service: Subject = {
  kind: 'Service',
  programs: {
    literal: `import type { ServiceApply } from 'fieldwise/k8s/core/v1';
export const made: ServiceApply = {
  metadata: { name: 'web' },${members()}
};
`,
    builder: `import { service, servicePort, serviceSpec } from 'fieldwise/k8s/core/v1';
export const made = service('web').withSpec(
  serviceSpec()
    .withType('NodePort')
    .withClusterIP('None')
    .withSessionAffinity('None')
    .withPorts(servicePort(80).withName('http'), { name: 'http', port: 81 }),
);
`,
    cdk8s: `import { Chart } from 'cdk8s';
import { KubeService } from './cdk8s/k8s';
export const made = new KubeService(new Chart(undefined as never, 'chart'), 'web', {
  metadata: { name: 'web' },${members('clusterIp')}
});
`,
    'client-node': `import type { V1Service } from '@kubernetes/client-node';
export const made: V1Service = {
  metadata: { name: 'web' },${members()}
};
`,
    'kubernetes-models': `import type { IService } from 'kubernetes-models/v1';
export const made: IService = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web' },${members()}
};
`,
  },
  mistakes: [
    {
      what: 'the singular for the plural',
      field: 'port',
      meant: 'ports',
      change: ['ports: [{', 'port: [{'],
      ways: { builder: ['withPorts(', 'withPort('] },
    },
    {
      what: 'a value that the enum does not have',
      field: 'type',
      meant: 'NodePort',
      change: ["type: 'NodePort'", "type: 'NodePrt'"],
      ways: { builder: ["withType('NodePort')", "withType('NodePrt')"] },
    },
    {
      what: 'the case of a letter',
      field: 'clusterIp',
      meant: 'clusterIP',
      change: ["clusterIP: 'None'", "clusterIp: 'None'"],
      ways: { builder: ["withClusterIP('None')", "withClusterIp('None')"], cdk8s: null },
    },
    {
      what: 'snake case',
      field: 'session_affinity',
      meant: 'sessionAffinity',
      change: ["sessionAffinity: 'None'", "session_affinity: 'None'"],
      ways: { builder: ['withSessionAffinity(', 'with_session_affinity('] },
    },
    {
      what: 'a string for a number in a list item',
      field: 'port',
      change: ['port: 80 ', "port: '80' "],
      ways: { builder: ['servicePort(80)', "servicePort('80')"] },
    },
    {
      what: 'a list item without its key',
      field: 'port',
      change: ["{ name: 'http', port: 80 }", "{ name: 'http' }"],
      ways: { builder: ["{ name: 'http', port: 81 }", "{ name: 'http' }"] },
    },
    { what: 'the selector of another kind', field: 'matchLabels', change: ["{ app: 'web' }", "{ matchLabels: { app: 'web' } }"] },
  ],
};
