import { App, Stack } from 'fieldwise';
import { configMap, service, servicePort, serviceSpec } from 'fieldwise/k8s/core/v1';

// The program before and after a change: `-c version=1`, then `-c version=2`.
const app = new App();
const after = String(app.node.tryGetContext('version')) === '2';
const cases = new Stack(app, 'cases');

cases.own(
  configMap('settings')
    .withMetadata({ annotations: { 'example.com/program': 'six-cases' } })
    .withData({
      same: 'x', // live x, declared x
      changed: after ? 'y' : 'x', // live x, declared y
      ...(after ? {} : { dropped: 'x' }), // live x, no longer declared
      // live x of another owner and never declared: `theirs`
      ...(after ? { added: 'y' } : {}), // absent, declared y
      ...(after ? { contested: 'y' } : {}), // live x of another owner, declared y
    }),
);

// Absent, declared y, and another owner has the whole: the selector of a Service is atomic, so its members have no owners of their own.
const port = serviceSpec().withPorts(servicePort(80));
cases.own(service('routed').withSpec(after ? port.withSelector({ app: 'y' }) : port));
