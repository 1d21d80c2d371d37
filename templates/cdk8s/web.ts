import { Chart } from 'cdk8s';
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
