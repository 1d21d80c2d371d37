import { App, Stack } from 'fieldwise';
import { container, deployment, deploymentSpec, podSpec, podTemplateSpec } from 'fieldwise/k8s/apps/v1';

const app = new App();

const base = new Stack(app, 'base');
base.own(
  deployment('nginx')
    .withMetadata({ annotations: { foo: 'bar' } })
    .withSpec(
      deploymentSpec()
        .withReplicas(2)
        .withSelector({ matchLabels: { app: 'nginx' } })
        .withTemplate(
          podTemplateSpec()
            .withMetadata({ labels: { app: 'nginx' } })
            .withSpec(podSpec().withContainers(container('nginx').withImage('nginx:1.29'))),
        ),
    ),
);

// Another team adds an annotation to the same Deployment while it needs it: `-c contact=web-team`.
const extra = new Stack(app, 'extra');
extra.addDependency(base);
const contact = app.node.tryGetContext('contact');
if (contact) extra.share(deployment('nginx').withMetadata({ annotations: { 'example.com/contact': contact } }));
