import type { KubectlScenario, Replacement } from '../scenario.js';
import { configMaps, deployment, pod, service } from './manifests.js';

const clusterWide = `apiVersion: v1
kind: PersistentVolume
metadata: { name: describe-cluster-wide }
spec:
  capacity: { storage: 1Gi }
  accessModes: [ReadWriteOnce]
  hostPath: { path: /data }
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: { name: describe-cluster-wide }
provisioner: example.com/disk
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: { name: describe-cluster-wide }
spec: { controller: example.com/controller }
---
apiVersion: storage.k8s.io/v1
kind: CSIDriver
metadata: { name: describe.cluster.wide }
---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: { name: describe-cluster-wide }
handler: runc
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: { name: describe-cluster-wide }
webhooks: []
`;

/** A controller of a real server looks for addresses that are not allocated, at a moment of its own, and reports the new ones. */
const repairedAddress: Replacement = [/^Events:\n.*\n.*\n.*ClusterIPNotAllocated.*$/gm, 'Events:                   <none>'];

/** `kubectl describe` and what it reads. */
export const describe: readonly KubectlScenario[] = [
  {
    name: 'describe-objects',
    files: { 'objects.yaml': [deployment, pod, service, configMaps].join('---\n') },
    steps: [
      'create -f objects.yaml',
      'describe deployment web',
      'describe pod one',
      'describe pods -l app=none',
      { run: 'describe service web', replaces: [repairedAddress] },
      'describe configmap first',
      'describe cm -l tier=front',
      'describe configmap absent',
      'describe namespace describe-objects',
      'describe pod one --show-events=false',
      'describe -f objects.yaml',
      'describe configmap f',
    ],
  },
  {
    name: 'describe-rights',
    files: {
      'objects.yaml': `apiVersion: v1
kind: ServiceAccount
metadata: { name: robot }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: reader }
rules: [{ apiGroups: [''], resources: [pods], verbs: [get, list] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: readers }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader }
subjects: [{ kind: ServiceAccount, name: robot, namespace: describe-rights }]
---
apiVersion: v1
kind: Secret
metadata: { name: hidden }
stringData: { password: secret }
---
apiVersion: batch/v1
kind: Job
metadata: { name: once }
spec: { template: { spec: { restartPolicy: Never, containers: [{ name: c, image: busybox }] } } }
---
apiVersion: batch/v1
kind: CronJob
metadata: { name: nightly }
spec:
  schedule: 0 1 * * *
  jobTemplate: { spec: { template: { spec: { restartPolicy: Never, containers: [{ name: c, image: busybox }] } } } }
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: budget }
spec: { minAvailable: 1, selector: { matchLabels: { app: web } } }
`,
    },
    steps: [
      'create -f objects.yaml',
      'describe serviceaccount robot',
      'describe role reader',
      'describe rolebinding readers',
      'describe secret hidden',
      { run: 'describe job once', replaces: [[/controller-uid=UID/g, '']] },
      'describe cronjob nightly',
      'describe pdb budget',
      'get jobs,cronjobs,secrets,serviceaccounts',
      'get jobs,cronjobs -o wide',
      'describe clusterrole view',
      'describe clusterrolebinding cluster-admin',
    ],
  },
  {
    name: 'describe-cluster-wide',
    files: { 'objects.yaml': clusterWide },
    steps: [
      'create -f objects.yaml',
      'describe pv describe-cluster-wide',
      'describe storageclass describe-cluster-wide',
      'describe ingressclass describe-cluster-wide',
      'describe csidriver describe.cluster.wide',
      'describe runtimeclass describe-cluster-wide',
      'describe validatingwebhookconfiguration describe-cluster-wide',
      'get pv describe-cluster-wide -o wide',
      'get sc describe-cluster-wide -o wide',
      'get ingressclass,runtimeclass describe-cluster-wide',
      'get csidriver describe.cluster.wide',
      'get validatingwebhookconfiguration describe-cluster-wide',
      'delete -f objects.yaml --wait=false',
    ],
  },
  {
    name: 'describe-events',
    files: {
      'objects.yaml': `${pod}---
apiVersion: v1
kind: Event
metadata: { name: seen, namespace: describe-events }
involvedObject: { apiVersion: v1, kind: Pod, name: one, namespace: describe-events }
type: Warning
reason: Tested
message: seen by a test
count: 3
firstTimestamp: '2026-01-02T03:04:05Z'
lastTimestamp: '2026-01-02T03:04:05Z'
source: { component: tester }
`,
    },
    steps: [
      'create -f objects.yaml',
      { run: 'events', replaces: [[/\d+d/g, 'AGE']] },
      { run: 'events --for pod/one --types=Warning', replaces: [[/\d+d/g, 'AGE']] },
      'events --types=Normal',
      'events -o yaml',
      { run: 'get events', replaces: [[/\d+d/g, 'AGE']] },
      { run: 'get events -o wide', replaces: [[/\d+d/g, 'AGE']] },
      'get events --field-selector involvedObject.name=one,type=Warning -o name',
      'get events --field-selector reason=None -o name',
      'get events --field-selector message=x -o name',
      { run: 'get events.events.k8s.io', replaces: [[/\d+d/g, 'AGE']] },
    ],
  },
];
