import type { Subject } from './mistake.js';

const spec = (type: string) => `{
    parentRefs: [{ name: 'edge' }],
    hostnames: ['example.com'],
    rules: [
      {
        matches: [{ path: { type: ${type}, value: '/' }, headers: [{ name: 'x-team', value: 'a' }] }],
        backendRefs: [{ name: 'web', port: 80 }],
      },
    ],
  }`;

export const httpRoute: Subject = {
  kind: 'HTTPRoute',
  crd: 'gateway.networking.k8s.io/httproutes',
  programs: {
    literal: `import type { HTTPRouteApply } from './ours/gateway.networking.k8s.io/v1.js';
export const made: HTTPRouteApply = {
  metadata: { name: 'web' },
  spec: ${spec("'PathPrefix'")},
};
`,
    builder: `import { httpRoute } from './ours/gateway.networking.k8s.io/v1.js';
export const made = httpRoute('web').withSpec(${spec("'PathPrefix'")});
`,
    cdk8s: `import { Chart } from 'cdk8s';
import { HttpRoute, HttpRouteSpecRulesMatchesPathType } from './cdk8s/gateway.networking.k8s.io';
export const made = new HttpRoute(new Chart(undefined as never, 'chart'), 'web', {
  metadata: { name: 'web' },
  spec: ${spec('HttpRouteSpecRulesMatchesPathType.PATH_PREFIX')},
});
`,
    'kubernetes-models': `import type { IHTTPRoute } from './models/gateway.networking.k8s.io/v1/HTTPRoute';
export const made: IHTTPRoute = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name: 'web' },
  spec: ${spec("'PathPrefix'")},
};
`,
  },
  mistakes: [
    {
      what: 'the singular for the plural, in a list item',
      field: 'backendRef',
      meant: 'backendRefs',
      change: ['backendRefs: [', 'backendRef: ['],
    },
    { what: 'a typo in the fourth list', field: 'valeu', meant: 'value', change: ["value: 'a'", "valeu: 'a'"] },
    {
      what: 'a value that the enum does not have',
      field: 'type',
      meant: 'PathPrefix',
      change: ["type: 'PathPrefix'", "type: 'PathPrefx'"],
      ways: { cdk8s: ['PathType.PATH_PREFIX', 'PathType.PATH_PREFX'] },
    },
    { what: 'a list item without its key', field: 'name', change: ["{ name: 'x-team', value: 'a' }", "{ value: 'a' }"] },
    { what: 'an object for a list', field: 'parentRefs', change: ["[{ name: 'edge' }]", "{ name: 'edge' }"] },
    { what: 'a string for a number in a list item', field: 'port', change: ['port: 80', "port: '80'"] },
  ],
};
