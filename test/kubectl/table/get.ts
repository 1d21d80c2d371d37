import type { KubectlScenario } from '../scenario.js';
import { configMaps, deployment, pod, service } from './manifests.js';

/** `kubectl get` with each form of output. */
export const get: readonly KubectlScenario[] = [
  {
    name: 'get-forms',
    files: {
      'objects.yaml': configMaps,
      'columns.txt': 'NAME KEY\n.metadata.name .data.key\n',
      'template.txt': '{{range .items}}{{.metadata.name}} {{end}}',
    },
    steps: [
      'create -f objects.yaml',
      'get configmaps',
      'get cm first',
      'get cm/first cm/second',
      'get configmaps --no-headers',
      'get configmaps -o wide',
      'get configmap first -o yaml',
      'get configmap first -o yaml --show-managed-fields',
      'get configmap first -o json',
      'get configmap first -o kyaml',
      'get configmaps -o name',
      "get configmaps -o 'jsonpath={range .items[*]}{.metadata.name}={.data.key};{end}'",
      "get configmap first -o 'jsonpath-as-json={.data}'",
      'get configmaps -o custom-columns=NAME:.metadata.name,KEY:.data.key,NONE:.data.none',
      'get configmaps -o custom-columns-file=columns.txt',
      "get configmaps -o 'go-template={{range .items}}{{.metadata.name}} {{end}}'",
      'get configmaps -o go-template-file=template.txt',
      'get configmaps --show-labels',
      'get configmaps -L tier,color',
      'get configmaps --show-kind',
      'get configmaps -l tier=front',
      "get configmaps -l 'color in (red, green),tier!=back' -o name",
      "get configmaps -l '!color' -o name",
      "get configmaps -l 'color in red'",
      'get configmaps --field-selector metadata.name=second',
      'get configmaps --field-selector data.key=a',
      'get configmaps --sort-by=.data.key -o name',
      'get configmaps --sort-by=.data.key',
      'get configmaps --sort-by=.data.none',
      'get configmaps --chunk-size=1',
      'get configmaps -A -l tier=back --field-selector metadata.namespace=get-forms',
      'get configmaps --ignore-not-found absent',
      'get configmaps absent',
      'get configmaps -f objects.yaml',
      'get configmaps first absent second',
      'get configmaps -l tier=none',
      'get configmaps -l tier=none -o yaml',
      'get configmaps -l tier=none -o json',
      'get configmaps --server-print=false',
      'get configmaps -o unknown',
    ],
  },
  {
    name: 'get-workloads',
    files: { 'deployment.yaml': deployment, 'pod.yaml': pod, 'service.yaml': service },
    steps: [
      'create -f deployment.yaml -f pod.yaml -f service.yaml',
      'get all',
      'get deployments,pods,services -o wide',
      'get deploy web -o wide --show-labels',
      'get pods --field-selector status.phase=Pending',
      'get pods --field-selector spec.nodeName=none,status.phase!=Running',
      'get pods --field-selector spec.image=busybox',
      'get pod one --subresource=status',
      'get deployment web --subresource=scale',
      'get deployment web --subresource=scale -o yaml',
      'get deployment web --subresource=none',
      'get --raw /apis/apps/v1/namespaces/get-workloads/deployments/absent',
      'get unicorns',
      'get deployments.v1.apps',
      'get deployments.v1.unknown',
      'get deployments.apps/web',
      'get',
    ],
  },
  {
    name: 'get-watch',
    files: { 'objects.yaml': configMaps },
    steps: [
      'create -f objects.yaml',
      { run: 'get configmaps -w', seconds: 3, beside: ['label cm first seen=yes', 'delete cm third', 'create cm fourth --dry-run=client'] },
      { run: 'get configmaps --watch-only', seconds: 3, beside: ['label cm second seen=yes'] },
      { run: 'get configmap first -w -o name', seconds: 3, beside: ['label cm first seen=again --overwrite'] },
      {
        run: 'get configmaps -w --output-watch-events -l color=blue',
        seconds: 6,
        beside: ['label cm second color=red --overwrite', 'label cm second color=blue --overwrite'],
      },
      { run: "get configmaps --watch-only -o 'jsonpath={.metadata.name} '", seconds: 3, beside: ['label cm second again=yes'] },
    ],
  },
  {
    name: 'get-kinds',
    files: {
      'objects.yaml': `apiVersion: apps/v1
kind: StatefulSet
metadata: { name: db }
spec:
  serviceName: db
  selector: { matchLabels: { app: db } }
  template:
    metadata: { labels: { app: db } }
    spec: { containers: [{ name: db, image: postgres }] }
---
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: agent }
spec:
  selector: { matchLabels: { app: agent } }
  template:
    metadata: { labels: { app: agent } }
    spec: { containers: [{ name: agent, image: busybox }] }
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: { name: set }
spec:
  selector: { matchLabels: { app: set } }
  template:
    metadata: { labels: { app: set } }
    spec: { containers: [{ name: set, image: busybox }] }
---
apiVersion: v1
kind: ReplicationController
metadata: { name: old }
spec:
  selector: { app: old }
  template:
    metadata: { labels: { app: old } }
    spec: { containers: [{ name: old, image: busybox }] }
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: claim }
spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: closed }
spec: { podSelector: {} }
---
apiVersion: v1
kind: LimitRange
metadata: { name: limits }
spec: { limits: [{ type: Container, default: { cpu: 1 } }] }
---
apiVersion: v1
kind: Endpoints
metadata: { name: away }
subsets: [{ addresses: [{ ip: 192.0.2.1 }], ports: [{ port: 80 }] }]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: slice }
addressType: IPv4
endpoints: [{ addresses: [192.0.2.1] }]
ports: [{ name: http, port: 80 }]
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: { name: leader }
spec: { holderIdentity: me, leaseDurationSeconds: 15 }
---
apiVersion: v1
kind: PodTemplate
metadata: { name: template }
template:
  metadata: { labels: { app: t } }
  spec: { containers: [{ name: t, image: busybox }] }
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: auto }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: StatefulSet, name: db }
  maxReplicas: 3
  metrics: [{ type: Resource, resource: { name: cpu, target: { type: Utilization, averageUtilization: 60 } } }]
`,
    },
    steps: [
      'create -f objects.yaml',
      'get statefulsets,daemonsets,replicasets,replicationcontrollers',
      'get statefulsets,daemonsets,replicasets,replicationcontrollers -o wide',
      'get pvc,networkpolicies,limitranges,endpoints,endpointslices,leases,podtemplates,hpa',
      'get pvc,networkpolicies,limitranges,endpoints,endpointslices,leases,podtemplates,hpa -o wide',
      'get sts,ds,rs,rc,netpol,limits,ep -o name',
      'get hpa auto -o yaml',
      'get hpa.v1.autoscaling auto -o yaml',
      'describe sts db',
      'describe ds agent',
      'describe rs set',
      'describe rc old',
      'describe pvc claim',
      'describe netpol closed',
      'describe limitrange limits',
      'describe endpoints away',
      'describe endpointslice slice',
      'describe lease leader',
      'describe podtemplate template',
      'describe hpa auto',
    ],
  },
];
