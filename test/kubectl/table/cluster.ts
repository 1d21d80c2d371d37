import { certificateRequest } from '../../harness/certificate-request.js';
import type { KubectlScenario } from '../scenario.js';
import { pod } from './manifests.js';
import { sortedLines } from './sorted-lines.js';

/** Commands about the server itself, its nodes and its users. */
export const cluster: readonly KubectlScenario[] = [
  {
    name: 'cluster-resources',
    first: true,
    steps: [
      'api-versions',
      'api-resources',
      'api-resources -o wide',
      'api-resources -o name',
      'api-resources --namespaced=false',
      'api-resources --verbs=list,get --sort-by=kind',
      'api-resources --api-group=apps',
      'api-resources --categories=all --no-headers',
      'api-resources --api-group=none',
      'api-resources --api-group=apps -o json',
    ],
  },
  {
    name: 'cluster-raw',
    steps: [
      { run: 'version -o yaml', replaces: [[/^ +(build|compiler|git|go|platform).*$/gm, 'BUILD']] },
      { run: 'version', replaces: [[/v1\.\d+\.\d+\S*/g, 'v1']] },
      'cluster-info',
      'get --raw /healthz',
      'get --raw /healthz/ping',
      'get --raw /healthz/etcd',
      'get --raw /livez',
      'get --raw /livez?verbose',
      'get --raw /livez/ping',
      'get --raw /readyz',
      'get --raw /readyz?verbose',
      'get --raw /readyz/ping',
      'get --raw /readyz/none',
      'get --raw /readyz?verbose&exclude=ping',
      { run: 'get --raw /version', reduce: (output) => Object.keys(JSON.parse(output)).join(' ') },
      { run: 'get --raw /api', replaces: [[/"serverAddress":"[^"]*"/g, '"serverAddress"']] },
      'get --raw /apis/apps',
      'get --raw /apis/none',
      'get --raw /none',
      { run: 'get --raw /', reduce: sortedLines },
      { run: 'get --raw /metrics', reduce: (output) => (/^# TYPE apiserver_request_total counter$/m.test(output) ? 'metrics' : output) },
      {
        run: 'get --raw /openapi/v2',
        reduce: (output) => {
          const { swagger, info, definitions, paths } = JSON.parse(output);
          return [swagger, info?.title, ...Object.keys(definitions ?? {}).sort(), ...Object.keys(paths ?? {}).sort()].join('\n');
        },
      },
      { run: 'get --raw /openapi/v3', reduce: (output) => Object.keys(JSON.parse(output).paths).sort().join('\n') },
    ],
  },
  {
    name: 'cluster-explain',
    steps: [
      'explain deployments',
      'explain deployment.spec',
      'explain pod.spec.containers.image',
      'explain configmap --recursive',
      'explain hpa.spec --api-version=autoscaling/v1',
      'explain horizontalpodautoscalers.spec.metrics --api-version=autoscaling/v2',
      'explain configmap -o plaintext-openapiv2',
      'explain deployment.spec.none',
      'explain unicorn',
    ],
  },
  {
    name: 'cluster-nodes',
    files: {
      'node.yaml': 'apiVersion: v1\nkind: Node\nmetadata: { name: cluster-nodes-1, labels: { kubernetes.io/hostname: one } }\n',
      'pod.yaml': pod.replace('spec:\n', 'spec:\n  nodeName: cluster-nodes-1\n'),
    },
    steps: [
      'create -f node.yaml',
      'create -f pod.yaml',
      'get nodes cluster-nodes-1',
      'get nodes cluster-nodes-1 -o wide',
      'describe node cluster-nodes-1',
      'taint node cluster-nodes-1 dedicated=db:NoSchedule',
      'taint node cluster-nodes-1 dedicated=db:NoSchedule',
      'taint node cluster-nodes-1 dedicated=web:NoSchedule --overwrite',
      'taint node cluster-nodes-1 dedicated:NoSchedule-',
      'taint node cluster-nodes-1 wrong=a:Never',
      'cordon cluster-nodes-1',
      'cordon cluster-nodes-1',
      'uncordon cluster-nodes-1',
      'drain cluster-nodes-1 --dry-run=client',
      'drain cluster-nodes-1',
      'drain cluster-nodes-1 --force --timeout=3s --ignore-daemonsets --grace-period=1',
      'uncordon cluster-nodes-1',
      'cordon absent',
      'get node cluster-nodes-1 -o yaml --show-managed-fields',
      'get pods --field-selector spec.nodeName=cluster-nodes-1',
      'top node',
      'top pod',
      'delete node cluster-nodes-1',
    ],
  },
  {
    name: 'cluster-certificates',
    files: {
      'request.yaml': `apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: { name: cluster-certificates }
spec:
  request: ${certificateRequest}
  signerName: example.com/signer
  usages: [client auth]
`,
    },
    steps: [
      'create -f request.yaml',
      'get csr cluster-certificates',
      'get csr cluster-certificates -o wide',
      'describe csr cluster-certificates',
      'certificate approve cluster-certificates',
      'certificate approve cluster-certificates',
      'certificate deny cluster-certificates',
      "get csr cluster-certificates -o 'jsonpath={.status.conditions[*].type} {.spec.username}'",
      'certificate approve absent',
      'delete csr cluster-certificates',
      'create -f request.yaml',
      'certificate deny cluster-certificates',
      'get csr cluster-certificates',
      'delete csr cluster-certificates',
    ],
  },
  {
    name: 'cluster-auth',
    files: {
      'rights.yaml': `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: reader, namespace: cluster-auth }
rules: [{ apiGroups: [''], resources: [configmaps], verbs: [get, list] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: readers, namespace: cluster-auth }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader }
subjects: [{ kind: User, name: ada, apiGroup: rbac.authorization.k8s.io }]
`,
      'more.yaml': `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: reader, namespace: cluster-auth }
rules: [{ apiGroups: [''], resources: [secrets], verbs: [get] }]
`,
    },
    steps: [
      'auth can-i create pods',
      'auth can-i get configmaps --as ada',
      'auth can-i get configmap/first --as ada',
      'auth can-i delete configmaps --as ada',
      'auth can-i get pods --subresource=log',
      'auth can-i get /logs --as ada',
      'auth can-i get unicorns',
      { run: 'auth can-i --list --as ada', reduce: sortedLines },
      { run: 'auth can-i --list', reduce: sortedLines },
      { run: 'auth whoami', replaces: [[/Username.*/g, 'Username']] },
      'auth whoami --as ada --as-group team -o yaml',
      'auth reconcile -f rights.yaml',
      'auth reconcile -f rights.yaml',
      'auth reconcile -f more.yaml --dry-run=client',
      'auth reconcile -f more.yaml',
      "get role reader -o 'jsonpath={.rules}'",
      'auth reconcile -f more.yaml --remove-extra-permissions',
      'auth can-i get secrets --as ada',
      'auth can-i get configmaps --as ada -q',
      'get configmaps --as ada',
      'get secret absent --as ada',
      'get pods -A --as ada',
      'create configmap mine --as ada --from-literal=a=b',
      'delete secret --all --as ada',
    ],
  },
  {
    name: 'cluster-pods',
    files: { 'pod.yaml': pod },
    steps: [
      'create -f pod.yaml',
      'logs one',
      'logs one -c none',
      'logs absent',
      'exec one -- ls',
      'exec absent -- ls',
      { run: 'attach one', seconds: 5 },
      'port-forward pod/one 18080:80',
      'port-forward pod/absent 18080:80',
      'cp pod.yaml one:/tmp/pod.yaml',
      { run: 'debug one --image=busybox --container=debugger', seconds: 5 },
      "get pod one -o 'jsonpath={.spec.ephemeralContainers}'",
      'debug one --image=busybox --container=debugger --copy-to=copy --same-node',
      "get pod copy -o 'jsonpath={.spec.containers[*].name}'",
      'wait pod/one --for=condition=Ready --timeout=1s',
      `wait pod/one --for=jsonpath='{.status.phase}'=Pending --timeout=1s`,
      `patch pod one --subresource=status --type=merge -p '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}'`,
      'wait pod/one --for=condition=Ready --timeout=5s',
      { run: 'wait pod/one --for=delete --timeout=5s', beside: ['delete pod one --force --wait=false'] },
      'wait pod/one --for=create --timeout=1s',
      'wait pod/absent --for=condition=Ready --timeout=1s',
      'wait pods --all --for=condition=Ready --timeout=1s',
    ],
  },
  {
    name: 'cluster-dump',
    first: true,
    files: { 'pod.yaml': pod },
    steps: ['create -f pod.yaml', 'cluster-info dump -o yaml --namespaces cluster-dump'],
  },
  {
    name: 'cluster-config',
    steps: [
      'config current-context',
      'config get-contexts -o name',
      'config set-context other --cluster=test --user=test --namespace=default',
      'config use-context other',
      'config view -o jsonpath={.contexts[*].name}',
      'config use-context absent',
      'config delete-context other',
      'config get-clusters',
      'config get-users',
      { run: 'completion bash', reduce: (output) => output.split('\n')[0]! },
      'plugin list',
      'options',
      'unknown-verb',
    ],
  },
];
