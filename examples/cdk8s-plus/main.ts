import { Chart } from 'cdk8s';
import { ConfigMap, Cpu, Deployment, EnvValue, Ingress, IngressBackend, Secret, ServiceType } from 'cdk8s-plus-33';
import { App } from 'fieldwise'; // the one changed import: it was 'cdk8s'

const app = new App();
const chart = new Chart(app, 'web', { labels: { team: 'shop' } });

new ConfigMap(chart, 'settings', { metadata: { name: 'settings' }, data: { colour: 'blue' } });
const credentials = Secret.fromSecretName(chart, 'credentials', 'shop-credentials');
const deployment = new Deployment(chart, 'deployment', {
  metadata: { name: 'web' },
  replicas: 2,
  containers: [
    {
      image: 'nginx:1.29',
      portNumber: 8080,
      resources: { cpu: { request: Cpu.millis(100) } },
      envVariables: {
        COLOUR: EnvValue.fromValue('blue'),
        TOKEN: EnvValue.fromSecretValue({ secret: credentials, key: 'token' }),
      },
    },
  ],
});
const service = deployment.exposeViaService({ name: 'web', serviceType: ServiceType.CLUSTER_IP, ports: [{ port: 80, targetPort: 8080 }] });
new Ingress(chart, 'ingress', {
  metadata: { name: 'web' },
  rules: [{ host: 'shop.example.com', backend: IngressBackend.fromService(service) }],
});

app.synth();
