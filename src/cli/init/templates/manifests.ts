import type { Template } from '../template.js';

/** Returns manifests that are deployed without a program. */
export function manifestsTemplate(name: string): Template {
  const documents = `-f manifests --stack ${name}`;
  return {
    files: { 'manifests/web.yaml': web, 'manifests.test.ts': test },
    scripts: { diff: `fieldwise diff ${documents}`, deploy: `fieldwise deploy ${documents}` },
    about: `The directory manifests is deployed as the stack ${name}, without a program. manifests.test.ts loads it into an API server of its own, which validates it.`,
  };
}

const web = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
  selector:
    matchLabels: { app: web }
  template:
    metadata:
      labels: { app: web }
    spec:
      containers:
        - name: web
          image: nginx:1.29
          ports:
            - containerPort: 8080
---
apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  selector: { app: web }
  ports:
    - port: 80
      targetPort: 8080
`;

const test = `import { testCluster } from 'fieldwise/testing/vitest';
import { expect, test } from 'vitest';

test('the server accepts the manifests', async () => {
  const cluster = await testCluster({ objects: 'manifests' });
  expect(await cluster.get('Deployment', 'web')).toMatchObject({ spec: { replicas: 2 } });
  expect(await cluster.get('Service', 'web')).toMatchObject({ spec: { selector: { app: 'web' } } });
});
`;
