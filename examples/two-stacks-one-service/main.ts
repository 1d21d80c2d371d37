import { App, Stack } from 'fieldwise';
import { service, servicePort, serviceSpec } from 'fieldwise/k8s/core/v1';

const app = new App();

// `-c unnamed=true` leaves the first port without a name, which Kubernetes accepts only while it is the only port.
const first = servicePort(80).withTargetPort(8080);
const web = new Stack(app, 'web');
web.own(
  service('catalog').withSpec(
    serviceSpec()
      .withSelector({ app: 'catalog' })
      .withPorts(app.node.tryGetContext('unnamed') ? first : first.withName('http')),
  ),
);

// The monitoring team adds a port to the same Service: `-c port=1000`, and later a type: `-c type=NodePort`.
const metrics = new Stack(app, 'metrics');
metrics.addDependency(web);
const port = app.node.tryGetContext('port');
const type = app.node.tryGetContext('type');
if (port) {
  const spec = serviceSpec().withPorts(servicePort(Number(port)).withName('metrics'));
  metrics.share(service('catalog').withSpec(type ? spec.withType(type) : spec));
}
