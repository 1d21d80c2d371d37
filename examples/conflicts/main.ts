import { App, type ConflictPolicy, Stack } from 'fieldwise';
import { container, deployment, deploymentSpec, podSpec, podTemplateSpec } from 'fieldwise/k8s/apps/v1';

const app = new App();
const conflicts: ConflictPolicy = app.node.tryGetContext('conflicts') ?? 'force';

const api = new Stack(app, 'api');
api.own(
  deployment('api').withSpec(
    deploymentSpec()
      .withReplicas(2)
      .withSelector({ matchLabels: { app: 'api' } })
      .withTemplate(
        podTemplateSpec()
          .withMetadata({ labels: { app: 'api' } })
          .withSpec(podSpec().withContainers(container('api').withImage('registry.example.com/api:1'))),
      ),
  ),
  { fields: { 'spec.replicas': { conflicts } } },
);
