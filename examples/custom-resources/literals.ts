import type { RolloutApply } from './imports/argoproj.io/v1alpha1.js';
import type { CertificateApply } from './upstream/imports/cert-manager.io/v1.js';
import type { ElasticsearchApply } from './upstream/imports/elasticsearch.k8s.elastic.co/v1.js';
import type { HTTPRouteApply } from './upstream/imports/gateway.networking.k8s.io/v1.js';
import type { ClusterPolicyApply } from './upstream/imports/kyverno.io/v1.js';
import type { PrometheusApply, ServiceMonitorApply } from './upstream/imports/monitoring.coreos.com/v1.js';
import type { VirtualServiceApply } from './upstream/imports/networking.istio.io/v1.js';

const labels = { app: 'shop' };

/** Prometheus scrapes what the team monitors, keeps two weeks of it, and writes it to the long-term store. */
const prometheus = {
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'Prometheus',
  metadata: { name: 'shop' },
  spec: {
    replicas: 2,
    retention: '14d',
    serviceAccountName: 'prometheus',
    serviceMonitorSelector: { matchLabels: labels },
    resources: { requests: { cpu: '500m', memory: '2Gi' } },
    storage: {
      volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '50Gi' } } } },
    },
    remoteWrite: [
      {
        url: 'https://metrics.example.com/api/v1/write',
        basicAuth: {
          username: { name: 'metrics-store', key: 'username' },
          password: { name: 'metrics-store', key: 'password' },
        },
      },
    ],
  },
} satisfies PrometheusApply;

const serviceMonitor = {
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'ServiceMonitor',
  metadata: { name: 'shop', labels },
  spec: { selector: { matchLabels: labels }, endpoints: [{ port: 'metrics', interval: '30s' }] },
} satisfies ServiceMonitorApply;

/** Within the mesh, one call in ten meets the canary. */
const virtualService = {
  apiVersion: 'networking.istio.io/v1',
  kind: 'VirtualService',
  metadata: { name: 'shop' },
  spec: {
    hosts: ['shop'],
    http: [
      {
        name: 'primary',
        route: [
          { destination: { host: 'shop-stable' }, weight: 90 },
          { destination: { host: 'shop-canary' }, weight: 10 },
        ],
        retries: { attempts: 3, perTryTimeout: '2s' },
        timeout: '10s',
      },
    ],
  },
} satisfies VirtualServiceApply;

/** From outside, the gateway routes /api to the stable version. */
const httpRoute = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name: 'shop' },
  spec: {
    parentRefs: [{ name: 'public' }],
    hostnames: ['shop.example.com'],
    rules: [
      {
        matches: [{ path: { type: 'PathPrefix', value: '/api' }, headers: [{ name: 'x-channel', value: 'web' }] }],
        backendRefs: [{ name: 'shop-stable', port: 80 }],
      },
    ],
  },
} satisfies HTTPRouteApply;

/** No Pod comes without the label of its team. */
const clusterPolicy = {
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: { name: 'require-team' },
  spec: {
    background: true,
    rules: [
      {
        name: 'team-label',
        match: { any: [{ resources: { kinds: ['Pod'] } }] },
        validate: {
          failureAction: 'Audit',
          message: 'Every Pod carries the label team.',
          pattern: { metadata: { labels: { team: '?*' } } },
        },
      },
    ],
  },
} satisfies ClusterPolicyApply;

const certificate = {
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  metadata: { name: 'shop' },
  spec: {
    secretName: 'shop-tls',
    dnsNames: ['shop.example.com'],
    duration: '2160h',
    renewBefore: '360h',
    privateKey: { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Always' },
    issuerRef: { kind: 'ClusterIssuer', name: 'public' },
  },
} satisfies CertificateApply;

const elasticsearch = {
  apiVersion: 'elasticsearch.k8s.elastic.co/v1',
  kind: 'Elasticsearch',
  metadata: { name: 'search' },
  spec: {
    version: '9.1.0',
    nodeSets: [
      {
        name: 'default',
        count: 3,
        config: { 'node.store.allow_mmap': false },
        volumeClaimTemplates: [
          {
            metadata: { name: 'elasticsearch-data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '100Gi' } } },
          },
        ],
      },
    ],
  },
} satisfies ElasticsearchApply;

/** A new version gets one call in ten, waits ten minutes, then half of them, and waits for a person. */
const rollout = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  metadata: { name: 'shop' },
  spec: {
    replicas: 4,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels: { ...labels, team: 'shop' } },
      spec: {
        containers: [{ name: 'shop', image: 'registry.example.com/shop:2', ports: [{ containerPort: 8080, name: 'http' }] }],
      },
    },
    strategy: {
      canary: {
        stableService: 'shop-stable',
        canaryService: 'shop-canary',
        trafficRouting: { istio: { virtualService: { name: 'shop', routes: ['primary'] } } },
        steps: [{ setWeight: 10 }, { pause: { duration: '10m' } }, { setWeight: 50 }, { pause: {} }],
      },
    },
  },
} satisfies RolloutApply;

export const platform = [prometheus, serviceMonitor, virtualService, httpRoute, clusterPolicy, certificate, elasticsearch];
export const shop = [rollout];
