import * as argo from './imports/argoproj.io/v1alpha1.js';
import * as certManager from './upstream/imports/cert-manager.io/v1.js';
import * as elastic from './upstream/imports/elasticsearch.k8s.elastic.co/v1.js';
import * as gateway from './upstream/imports/gateway.networking.k8s.io/v1.js';
import * as kyverno from './upstream/imports/kyverno.io/v1.js';
import * as monitoring from './upstream/imports/monitoring.coreos.com/v1.js';
import * as istio from './upstream/imports/networking.istio.io/v1.js';

const labels = { app: 'shop' };

/** Prometheus scrapes what the team monitors, keeps two weeks of it, and writes it to the long-term store. */
const prometheus = monitoring.prometheus('shop').withSpec(
  monitoring
    .prometheusSpec()
    .withReplicas(2)
    .withRetention('14d')
    .withServiceAccountName('prometheus')
    .withServiceMonitorSelector(monitoring.labelSelector().withMatchLabels(labels))
    .withResources(monitoring.resourceRequirements().withRequests({ cpu: '500m', memory: '2Gi' }))
    .withStorage(
      monitoring.storage().withVolumeClaimTemplate(
        monitoring.persistentVolumeClaim().withSpec(
          monitoring
            .persistentVolumeClaimSpec()
            .withAccessModes(['ReadWriteOnce'])
            .withResources(monitoring.volumeResourceRequirements().withRequests({ storage: '50Gi' })),
        ),
      ),
    )
    .withRemoteWrite([
      monitoring
        .remoteWrite()
        .withUrl('https://metrics.example.com/api/v1/write')
        .withBasicAuth(
          monitoring
            .basicAuth()
            .withUsername(monitoring.secretKeySelector().withName('metrics-store').withKey('username'))
            .withPassword(monitoring.secretKeySelector().withName('metrics-store').withKey('password')),
        ),
    ]),
);

const serviceMonitor = monitoring
  .serviceMonitor('shop')
  .withMetadata({ labels })
  .withSpec(
    monitoring
      .serviceMonitorSpec()
      .withSelector(monitoring.labelSelector().withMatchLabels(labels))
      .withEndpoints([monitoring.endpoint().withPort('metrics').withInterval('30s')]),
  );

/** Within the mesh, one call in ten meets the canary. */
const virtualService = istio.virtualService('shop').withSpec(
  istio
    .virtualServiceSpec()
    .withHosts(['shop'])
    .withHttp([
      istio
        .http()
        .withName('primary')
        .withRoute([
          istio.httpRoute().withDestination(istio.destination().withHost('shop-stable')).withWeight(90),
          istio.httpRoute().withDestination(istio.destination().withHost('shop-canary')).withWeight(10),
        ])
        .withRetries(istio.retries().withAttempts(3).withPerTryTimeout('2s'))
        .withTimeout('10s'),
    ]),
);

/** From outside, the gateway routes /api to the stable version. */
const httpRoute = gateway.httpRoute('shop').withSpec(
  gateway
    .httpRouteSpec()
    .withParentRefs([gateway.parentRef().withName('public')])
    .withHostnames(['shop.example.com'])
    .withRules([
      gateway
        .rule()
        .withMatches([
          gateway
            .match()
            .withPath(gateway.matchPath().withType('PathPrefix').withValue('/api'))
            .withHeaders(gateway.header('x-channel').withValue('web')),
        ])
        .withBackendRefs([gateway.ruleBackendRef().withName('shop-stable').withPort(80)]),
    ]),
);

/** No Pod comes without the label of its team. */
const clusterPolicy = kyverno.clusterPolicy('require-team').withSpec(
  kyverno
    .clusterPolicySpec()
    .withBackground(true)
    .withRules([
      kyverno
        .rule()
        .withName('team-label')
        .withMatch(kyverno.ruleMatch().withAny([kyverno.match().withResources(kyverno.resources().withKinds(['Pod']))]))
        .withValidate(
          kyverno
            .validate()
            .withFailureAction('Audit')
            .withMessage('Every Pod carries the label team.')
            .withPattern({ metadata: { labels: { team: '?*' } } }),
        ),
    ]),
);

const certificate = certManager
  .certificate('shop')
  .withSpec(
    certManager
      .certificateSpec()
      .withSecretName('shop-tls')
      .withDnsNames(['shop.example.com'])
      .withDuration('2160h')
      .withRenewBefore('360h')
      .withPrivateKey(certManager.privateKey().withAlgorithm('ECDSA').withSize(256).withRotationPolicy('Always'))
      .withIssuerRef(certManager.issuerRef().withKind('ClusterIssuer').withName('public')),
  );

const elasticsearch = elastic.elasticsearch('search').withSpec(
  elastic
    .elasticsearchSpec()
    .withVersion('9.1.0')
    .withNodeSets([
      elastic
        .nodeSet()
        .withName('default')
        .withCount(3)
        .withConfig({ 'node.store.allow_mmap': false })
        .withVolumeClaimTemplates([
          elastic
            .volumeClaimTemplate()
            .withMetadata({ name: 'elasticsearch-data' })
            .withSpec(
              elastic
                .persistentVolumeClaimSpec()
                .withAccessModes(['ReadWriteOnce'])
                .withResources(elastic.volumeResourceRequirements().withRequests({ storage: '100Gi' })),
            ),
        ]),
    ]),
);

/** A new version gets one call in ten, waits ten minutes, then half of them, and waits for a person. */
const rollout = argo.rollout('shop').withSpec(
  argo
    .rolloutSpec()
    .withReplicas(4)
    .withSelector(argo.labelSelector().withMatchLabels(labels))
    .withTemplate(
      argo
        .podTemplateSpec()
        .withMetadata({ labels: { ...labels, team: 'shop' } })
        .withSpec(
          argo
            .templateSpec()
            .withContainers([
              argo.container().withName('shop').withImage('registry.example.com/shop:2').withPorts(argo.port(8080).withName('http')),
            ]),
        ),
    )
    .withStrategy(
      argo.strategy().withCanary(
        argo
          .canary()
          .withStableService('shop-stable')
          .withCanaryService('shop-canary')
          .withTrafficRouting(
            argo
              .trafficRouting()
              .withIstio(argo.istio().withVirtualService(argo.virtualService().withName('shop').withRoutes(['primary']))),
          )
          .withSteps([
            argo.step().withSetWeight(10),
            argo.step().withPause(argo.pause().withDuration('10m')),
            argo.step().withSetWeight(50),
            argo.step().withPause({}),
          ]),
      ),
    ),
);

export const platform = [prometheus, serviceMonitor, virtualService, httpRoute, clusterPolicy, certificate, elasticsearch];
export const shop = [rollout];
