import { App, Stack } from 'fieldwise';
import { container, deployment, deploymentSpec, podSpec, podTemplateSpec } from 'fieldwise/k8s/apps/v1';

/** What differs between installations of the shop. */
export interface ShopOptions {
  readonly image?: string;
  /** Undefined leaves the number of replicas to an autoscaler. */
  readonly replicas?: number;
}

/** The program: a function that returns the App, so that tests can build it with other options. */
export function shop({ image = 'registry.example.com/shop:1', replicas }: ShopOptions = {}) {
  const app = new App({ name: 'shop' });
  const web = new Stack(app, 'web', { namespace: 'shop' });
  const spec = deploymentSpec()
    .withSelector({ matchLabels: { app: 'web' } })
    .withTemplate(
      podTemplateSpec()
        .withMetadata({ labels: { app: 'web' } })
        .withSpec(podSpec().withContainers(container('web').withImage(image))),
    );
  web.own(deployment('web').withSpec(replicas === undefined ? spec : spec.withReplicas(replicas)), {
    fields: { 'spec.replicas': { conflicts: 'yield' } },
  });
  const backup = new Stack(app, 'backup', { namespace: 'shop' });
  backup.share({
    apiVersion: 'platform.example.com/v1',
    kind: 'BackupPolicy',
    metadata: { name: 'nightly' },
    spec: { volumes: [{ name: 'shop-data', keep: 7 }] },
  });
  return { app, web, backup };
}
