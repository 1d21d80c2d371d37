import { App, Stack } from 'fieldwise';
import { configMap, service, servicePort, serviceSpec } from 'fieldwise/k8s/core/v1';

// Before and after a change of the program: `-c version=1`, then `-c version=2`.
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
      ...(after ? { added: 'y' } : {}), // not there, declared y
      ...(after ? { contested: 'y' } : {}), // live x of another owner, declared y
    }),
);

// Not there, declared y, and another owner has the whole: a Service's selector is atomic, so its members have no owners.
const port = serviceSpec().withPorts(servicePort(80));
cases.own(service('routed').withSpec(after ? port.withSelectorAtomic({ app: 'y' }) : port));
