import type { ResponseBody } from '../harness/api-client.js';
import type { TestCluster } from '../harness/cluster.js';

/** The cluster of a side, and the namespace of a situation in it. */
export interface Stage {
  readonly cluster: TestCluster;
  readonly namespace: string;
}

/** A change, and the state in which the next one comes. */
export interface Step {
  readonly name: string;
  /** Objects that are created; those without a namespace of their own are put into that of the situation, if their kind has one. */
  readonly create?: readonly ResponseBody[];
  /** Another change. */
  readonly change?: (stage: Stage) => Promise<unknown>;
  readonly until: (stage: Stage) => Promise<boolean>;
}

/** Something that controllers and the scheduler do, on a real server and on the embedded one. */
export interface Situation {
  readonly name: string;
  readonly steps: readonly Step[];
  /** It belongs to the sample that is run with all other tests. */
  readonly inSample?: boolean;
  /** It needs the operator, which runs beside the control plane then. */
  readonly needsOperator?: boolean;
  /** Objects of the cluster that are compared, too, although their names are not of the situation. */
  readonly beside?: (stage: Stage) => Promise<readonly ResponseBody[]>;
}

export const metadata = (name: string, more: object = {}) => ({ name, ...more });
const container = { name: 'c', image: 'x', resources: { requests: { cpu: '100m' } } };
const template = (app: string, spec: object = {}) => ({ metadata: { labels: { app } }, spec: { containers: [container], ...spec } });
const workload = (kind: string, app: string, spec: object = {}, pod: object = {}) => ({
  apiVersion: kind === 'Job' ? 'batch/v1' : 'apps/v1',
  kind,
  metadata: metadata(app),
  spec: { ...(kind === 'Job' ? {} : { selector: { matchLabels: { app } } }), template: template(app, pod), ...spec },
});
export const reference = (object: ResponseBody, namespace: string) => ({ ...object, metadata: { namespace, ...object.metadata } });

/** Returns an object of the situation; undefined if there is none. */
export const read = ({ cluster, namespace }: Stage, apiVersion: string, kind: string, name: string): Promise<ResponseBody | undefined> =>
  cluster.find(reference({ apiVersion, kind, metadata: { name } }, namespace));
const status = async (stage: Stage, kind: string, name: string): Promise<ResponseBody> =>
  (await read(stage, kind === 'Job' ? 'batch/v1' : 'apps/v1', kind, name))?.status ?? {};
const patch =
  (kind: string, name: string, body: object) =>
  ({ cluster, namespace }: Stage) =>
    cluster.patch('test', reference({ apiVersion: 'apps/v1', kind, metadata: { name } }, namespace), body);
const rolledOut = (kind: string, name: string, replicas: number) => async (stage: Stage) => {
  const object = await read(stage, 'apps/v1', kind, name);
  const { observedGeneration, updatedReplicas, readyReplicas, replicas: all = 0 } = object?.status ?? {};
  return (
    observedGeneration === object?.metadata.generation && updatedReplicas === replicas && readyReplicas === replicas && all === replicas
  );
};

const web: Situation = {
  name: 'deployment',
  inSample: true,
  steps: [
    {
      name: 'created with a budget',
      create: [
        workload('Deployment', 'web', { replicas: 2 }),
        {
          apiVersion: 'policy/v1',
          kind: 'PodDisruptionBudget',
          metadata: metadata('web'),
          spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
        },
      ],
      until: async (stage) => {
        const budget = await read(stage, 'policy/v1', 'PodDisruptionBudget', 'web');
        return budget?.status.currentHealthy === 2 && (await rolledOut('Deployment', 'web', 2)(stage));
      },
    },
    {
      name: 'another image, and three replicas',
      change: patch('Deployment', 'web', { spec: { replicas: 3, template: { spec: { containers: [{ ...container, image: 'y' }] } } } }),
      until: rolledOut('Deployment', 'web', 3),
    },
  ],
};

const database: Situation = {
  name: 'stateful-set',
  steps: [
    {
      name: 'created with claims and a volume for one of them',
      create: [
        {
          apiVersion: 'v1',
          kind: 'PersistentVolume',
          metadata: metadata('NAMESPACE-volume'),
          spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], storageClassName: 'NAMESPACE', hostPath: { path: '/x' } },
        },
        workload('StatefulSet', 'db', {
          replicas: 1,
          serviceName: 'db',
          updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } },
          volumeClaimTemplates: [
            {
              metadata: { name: 'data' },
              spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'NAMESPACE', resources: { requests: { storage: '1Gi' } } },
            },
          ],
        }),
      ],
      until: rolledOut('StatefulSet', 'db', 1),
    },
  ],
};

const agents: Situation = {
  name: 'daemon-set',
  steps: [
    {
      name: 'created',
      create: [workload('DaemonSet', 'agent', {}, { nodeSelector: { 'kubernetes.io/hostname': 'simulated-node' } })],
      until: async (stage) => (await status(stage, 'DaemonSet', 'agent')).numberReady === 1,
    },
  ],
};

export const service = (name: string, spec: object) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: metadata(name),
  spec: { ports: [{ port: 80 }], ...spec },
});

const services: Situation = {
  name: 'services',
  inSample: true,
  steps: [
    {
      name: 'one that selects no Pod, and one with endpoints of its own',
      create: [
        service('empty', { clusterIP: 'None', selector: { app: 'none' } }),
        service('outside', {}),
        {
          apiVersion: 'v1',
          kind: 'Endpoints',
          metadata: metadata('outside'),
          subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }],
        },
      ],
      until: async ({ cluster, namespace }) => {
        const slices = await cluster.list('discovery.k8s.io/v1', 'EndpointSlice', namespace);
        return slices.length === 2 && slices.some(({ endpoints }) => endpoints?.[0].addresses[0] === '192.0.2.1');
      },
    },
  ],
};

const jobs: Situation = {
  name: 'jobs',
  steps: [
    {
      name: 'an indexed one and one whose rules are empty',
      create: [
        workload('Job', 'indexed', { completions: 2, parallelism: 2, completionMode: 'Indexed' }, { restartPolicy: 'Never' }),
        workload('Job', 'plain', { podFailurePolicy: { rules: [] } }, { restartPolicy: 'Never' }),
      ],
      until: async (stage) =>
        (await status(stage, 'Job', 'indexed')).succeeded === 2 && (await status(stage, 'Job', 'plain')).completionTime !== undefined,
    },
  ],
};

const adoption: Situation = {
  name: 'adoption',
  steps: [
    {
      name: 'an orphaned Pod, then the ReplicaSet that selects it',
      create: [
        { apiVersion: 'v1', kind: 'Pod', metadata: metadata('stray', { labels: { app: 'set' } }), spec: { containers: [container] } },
        workload('ReplicaSet', 'set', { replicas: 2 }),
      ],
      until: async (stage) => (await status(stage, 'ReplicaSet', 'set')).readyReplicas === 2,
    },
  ],
};

const config = (name: string, more: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata(name, more) });

/** Creates a ConfigMap of each name, owned by the ConfigMap `NAME-owner`, and deletes the owner as the name says. */
async function deleteOwners({ cluster, namespace }: Stage): Promise<void> {
  for (const policy of ['Background', 'Foreground', 'Orphan']) {
    const owner = await cluster.create('test', reference(config(`${policy.toLowerCase()}-owner`), namespace));
    const ownerReferences = [
      { apiVersion: 'v1', kind: 'ConfigMap', name: owner.metadata.name, uid: owner.metadata.uid, blockOwnerDeletion: true },
    ];
    await cluster.create('test', reference(config(policy.toLowerCase(), { ownerReferences }), namespace));
    const path = await cluster.path(reference(owner, namespace) as never);
    await cluster.client.call('DELETE', path, { body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: policy } });
  }
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid: '11111111-1111-4111-8111-111111111111' }];
  await cluster.create('test', reference(config('of-nobody', { ownerReferences }), namespace));
}

const garbage: Situation = {
  name: 'garbage',
  inSample: true,
  steps: [
    {
      name: 'owners that are deleted in each way, and one that never was',
      change: deleteOwners,
      until: async (stage) => {
        const gone = ['background', 'background-owner', 'foreground', 'foreground-owner', 'orphan-owner', 'of-nobody'];
        const left = await Promise.all(gone.map((name) => read(stage, 'v1', 'ConfigMap', name)));
        return left.every((object) => object === undefined);
      },
    },
  ],
};

const ended: Situation = {
  name: 'namespace',
  steps: [
    {
      name: 'deleted with a ConfigMap that has a finalizer',
      create: [config('held', { finalizers: ['example.com/held'] }), config('free')],
      change: ({ cluster, namespace }) => cluster.remove({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }),
      until: async ({ cluster, namespace }) => {
        const { status } = await cluster.get({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
        return (
          status.conditions?.some(({ type, status }: ResponseBody) => type === 'NamespaceFinalizersRemaining' && status === 'True') === true
        );
      },
    },
  ],
};

const accounts: Situation = {
  name: 'accounts',
  inSample: true,
  steps: [
    {
      name: 'a Secret gets the token of its ServiceAccount, which is valid',
      create: [
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: metadata('token', { annotations: { 'kubernetes.io/service-account.name': 'default' } }),
          type: 'kubernetes.io/service-account-token',
        },
      ],
      until: async (stage) => {
        const token = (await read(stage, 'v1', 'Secret', 'token'))?.data?.token;
        if (token === undefined) return false;
        const spec = { token: Buffer.from(token, 'base64').toString() };
        const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec };
        const review = await stage.cluster.client.call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { body });
        return review.status.user.username === `system:serviceaccount:${stage.namespace}:default`;
      },
    },
  ],
};

const rules = [{ apiGroups: ['example.com'], resources: ['things'], verbs: ['get'] }];
const label = { 'example.com/NAMESPACE': 'yes' };

const policies: Situation = {
  name: 'policies',
  steps: [
    {
      name: 'a quota, an aggregated role and a policy with a wrong type',
      create: [
        { apiVersion: 'v1', kind: 'ResourceQuota', metadata: metadata('quota'), spec: { hard: { configmaps: '5', pods: '5' } } },
        { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: metadata('NAMESPACE-part', { labels: label }), rules },
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          metadata: metadata('NAMESPACE-whole'),
          aggregationRule: { clusterRoleSelectors: [{ matchLabels: label }] },
        },
        {
          apiVersion: 'admissionregistration.k8s.io/v1',
          kind: 'ValidatingAdmissionPolicy',
          metadata: metadata('NAMESPACE-policy'),
          spec: {
            matchConstraints: {
              resourceRules: [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] }],
            },
            validations: [{ expression: 'object.spec.replicas.startsWith("x")' }],
          },
        },
      ],
      until: async ({ cluster, namespace }) => {
        const named = (apiVersion: string, kind: string, name: string) =>
          cluster.get({ apiVersion, kind, metadata: { name: `${namespace}-${name}` } });
        const whole = await named('rbac.authorization.k8s.io/v1', 'ClusterRole', 'whole');
        const policy = await named('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', 'policy');
        const quota = await read({ cluster, namespace }, 'v1', 'ResourceQuota', 'quota');
        return whole.rules?.length === 1 && policy.status?.typeChecking !== undefined && quota?.status?.used?.configmaps === '1';
      },
    },
  ],
};

const scheduling: Situation = {
  name: 'scheduling',
  inSample: true,
  steps: [
    {
      name: 'Pods that no node has room or a device for',
      create: [
        {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: metadata('nowhere'),
          spec: { containers: [container], nodeSelector: { 'example.com/no': 'node' } },
        },
        {
          apiVersion: 'resource.k8s.io/v1',
          kind: 'ResourceClaimTemplate',
          metadata: metadata('device'),
          spec: { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'NAMESPACE-class' } }] } } },
        },
        { apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', metadata: metadata('NAMESPACE-class'), spec: {} },
        {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: metadata('device'),
          spec: {
            containers: [{ ...container, resources: { claims: [{ name: 'd' }] } }],
            resourceClaims: [{ name: 'd', resourceClaimTemplateName: 'device' }],
          },
        },
      ],
      until: async (stage) => {
        const pods = await Promise.all(['nowhere', 'device'].map((name) => read(stage, 'v1', 'Pod', name)));
        const isRefused = (pod: ResponseBody) =>
          pod?.status.conditions?.some(
            ({ reason, message }: ResponseBody) => reason === 'Unschedulable' && /nodes are available/.test(message),
          );
        return pods.every(isRefused) && pods[1]?.status.resourceClaimStatuses?.length === 1;
      },
    },
  ],
};

const nodes: Situation = {
  name: 'nodes',
  inSample: true,
  steps: [
    {
      name: 'one that has a range, and one that gets one',
      create: ['given', 'gets'].map((name) => ({
        apiVersion: 'v1',
        kind: 'Node',
        metadata: metadata(`NAMESPACE-${name}`),
        spec: { unschedulable: true, ...(name === 'given' ? { podCIDR: '10.9.1.0/24' } : {}) },
      })),
      until: async ({ cluster, namespace }) => {
        const node = (name: string) => cluster.get({ apiVersion: 'v1', kind: 'Node', metadata: { name: `${namespace}-${name}` } });
        const [given, gets] = [await node('given'), await node('gets')];
        // The range that was given stays: another one instead of it is a difference that no state would wait for.
        return gets.spec.podCIDRs?.length === 1 && given.spec.podCIDR === '10.9.1.0/24' && given.spec.podCIDRs?.[0] === '10.9.1.0/24';
      },
    },
  ],
};

export const situations: readonly Situation[] = [
  web,
  database,
  agents,
  services,
  jobs,
  adoption,
  garbage,
  ended,
  accounts,
  policies,
  scheduling,
  nodes,
];
