import type { Subject } from './mistake.js';

const members = (level: string) => `
  spec: {
    replicas: 2,
    paused: true,
    logLevel: ${level},
    externalLabels: { team: 'a' },
    serviceMonitorSelector: { matchLabels: { team: 'a' } },
    remoteWrite: [{ url: 'https://example.com', basicAuth: { username: { name: 'login', key: 'user' } } }],
  },`;

export const prometheus: Subject = {
  kind: 'Prometheus',
  crd: 'monitoring.coreos.com/prometheuses',
  programs: {
    literal: `import type { PrometheusApply } from './ours/monitoring.coreos.com/v1.js';
export const made: PrometheusApply = {
  metadata: { name: 'main' },${members("'info'")}
};
`,
    builder: `import { prometheus, prometheusSpec } from './ours/monitoring.coreos.com/v1.js';
export const made = prometheus('main').withSpec(
  prometheusSpec()
    .withReplicas(2)
    .withPaused(true)
    .withLogLevel('info')
    .withExternalLabels({ team: 'a' })
    .withServiceMonitorSelector({ matchLabels: { team: 'a' } }),
);
`,
    cdk8s: `import { Chart } from 'cdk8s';
import { Prometheus, PrometheusSpecLogLevel } from './cdk8s/monitoring.coreos.com';
export const made = new Prometheus(new Chart(undefined as never, 'chart'), 'main', {
  metadata: { name: 'main' },${members('PrometheusSpecLogLevel.INFO')}
});
`,
    'kubernetes-models': `import type { IPrometheus } from './models/monitoring.coreos.com/v1/Prometheus';
export const made: IPrometheus = {
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'Prometheus',
  metadata: { name: 'main' },${members("'info'")}
};
`,
  },
  mistakes: [
    {
      what: 'a typo among a hundred fields',
      field: 'serviceMonitorSelecter',
      meant: 'serviceMonitorSelector',
      change: ['serviceMonitorSelector: {', 'serviceMonitorSelecter: {'],
      ways: { builder: ['withServiceMonitorSelector(', 'withServiceMonitorSelecter('] },
    },
    { what: 'a typo in a secret reference', field: 'kye', meant: 'key', change: ["key: 'user'", "kye: 'user'"] },
    {
      what: 'a list for a map',
      field: 'externalLabels',
      change: ["externalLabels: { team: 'a' }", "externalLabels: ['team']"],
      ways: { builder: ["withExternalLabels({ team: 'a' })", "withExternalLabels(['team'])"] },
    },
    {
      what: 'a value that the enum does not have',
      field: 'logLevel',
      meant: 'info',
      change: ["logLevel: 'info'", "logLevel: 'inof'"],
      ways: { builder: ["withLogLevel('info')", "withLogLevel('inof')"], cdk8s: ['LogLevel.INFO,', 'LogLevel.INOF,'] },
    },
    {
      what: 'a string for a boolean',
      field: 'paused',
      change: ['paused: true', "paused: 'true'"],
      ways: { builder: ['withPaused(true)', "withPaused('true')"] },
    },
    {
      what: 'a builder of another type',
      field: 'spec',
      ways: { builder: ["prometheus('main').withSpec(", "prometheus('main').withSpec(prometheus('other')).withSpec("] },
    },
    {
      what: 'a name for an object',
      field: 'username',
      change: ["username: { name: 'login', key: 'user' }", "username: 'login'"],
    },
  ],
};
