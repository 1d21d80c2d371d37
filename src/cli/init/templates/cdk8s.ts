import { programScripts, type Template } from '../template.js';

/** Returns a program of cdk8s charts and cdk8s-plus constructs. */
export function cdk8sTemplate(name: string): Template {
  return {
    files: { 'main.ts': main, 'web.ts': chart, 'web.test.ts': test(name) },
    app: 'main.ts',
    scripts: programScripts,
    packages: ['cdk8s-plus-33'],
    about:
      'The program is main.ts: a cdk8s program whose App is imported from fieldwise. It declares the chart of web.ts, which is deployed as a stack, and which web.test.ts tests on an API server of its own.',
  };
}

const main = `import { App } from 'fieldwise'; // the App of cdk8s writes YAML files; this one is deployed
import { Web } from './web.js';

new Web(new App(), 'web');
`;

const chart = `import { Chart } from 'cdk8s';
import { Deployment, ServiceType } from 'cdk8s-plus-33';
import type { Construct } from 'constructs';

/** A Deployment with its Service. */
export class Web extends Chart {
  constructor(scope: Construct, id: string) {
    super(scope, id, { labels: { app: 'web' } });
    const deployment = new Deployment(this, 'deployment', {
      metadata: { name: 'web' },
      replicas: 2,
      containers: [{ image: 'nginx:1.29', portNumber: 8080 }],
    });
    deployment.exposeViaService({ name: 'web', serviceType: ServiceType.CLUSTER_IP, ports: [{ port: 80, targetPort: 8080 }] });
  }
}
`;

const test = (name: string) => `import { App } from 'fieldwise';
import { testCluster } from 'fieldwise/testing/vitest';
import { expect, test } from 'vitest';
import { Web } from './web.js';

test('the chart has two replicas behind a Service', async () => {
  const cluster = await testCluster();
  const app = new App({ name: '${name}' });
  new Web(app, 'web');
  expect(await cluster.deploy(app)).toSucceed();
  expect(await cluster.get('Deployment', 'web')).toMatchObject({ spec: { replicas: 2 } });
  expect(await cluster.get('Service', 'web')).toMatchObject({ spec: { ports: [{ port: 80, targetPort: 8080 }] } });
});
`;
