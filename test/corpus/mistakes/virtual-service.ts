import type { Subject } from './mistake.js';

const spec = `{
    hosts: ['web'],
    http: [
      {
        name: 'main',
        timeout: '5s',
        match: [{ uri: { prefix: '/' } }],
        route: [{ destination: { host: 'web', port: { number: 80 } }, weight: 100 }],
        retries: { attempts: 3, perTryTimeout: '2s' },
      },
    ],
  }`;

export const virtualService: Subject = {
  kind: 'VirtualService',
  crd: 'networking.istio.io/virtualservices',
  programs: {
    literal: `import type { VirtualServiceApply } from './ours/networking.istio.io/v1.js';
export const made: VirtualServiceApply = {
  metadata: { name: 'web' },
  spec: ${spec},
};
`,
    builder: `import { virtualService } from './ours/networking.istio.io/v1.js';
export const made = virtualService('web').withSpec(${spec});
`,
    cdk8s: `import { Chart } from 'cdk8s';
import { VirtualService } from './cdk8s/networking.istio.io';
export const made = new VirtualService(new Chart(undefined as never, 'chart'), 'web', {
  metadata: { name: 'web' },
  spec: ${spec},
});
`,
    'kubernetes-models': `import type { IVirtualService } from './models/networking.istio.io/v1/VirtualService';
export const made: IVirtualService = {
  apiVersion: 'networking.istio.io/v1',
  kind: 'VirtualService',
  metadata: { name: 'web' },
  spec: ${spec},
};
`,
  },
  mistakes: [
    { what: 'a typo in an object in a list item', field: 'hots', meant: 'host', change: ["{ host: 'web'", "{ hots: 'web'"] },
    {
      what: 'one level too few, in a list item',
      field: 'host',
      change: ["{ destination: { host: 'web', port: { number: 80 } }, weight: 100 }", "{ host: 'web', weight: 100 }"],
    },
    { what: 'a number for an object', field: 'port', change: ['port: { number: 80 }', 'port: 80'] },
    { what: 'a number for a string', field: 'timeout', change: ["timeout: '5s'", 'timeout: 5'] },
    { what: 'camel case in the wrong place', field: 'perTryTimeOut', meant: 'perTryTimeout', change: ['perTryTimeout:', 'perTryTimeOut:'] },
    {
      what: 'an object for a list',
      field: 'http',
      change: [spec, "{ hosts: ['web'], http: { name: 'main', route: [] } }"],
    },
    { what: 'null for an object', field: 'retries', change: ["retries: { attempts: 3, perTryTimeout: '2s' }", 'retries: null'] },
  ],
};
