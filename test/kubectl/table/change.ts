import type { KubectlScenario } from '../scenario.js';
import { configMaps, deployment, pod, service } from './manifests.js';
import { sortedLines } from './sorted-lines.js';

const objects = [deployment, pod, service, configMaps].join('---\n');

/** What the deployment controller of a cluster writes for each revision. */
const replicaSet = (revision: number) => `apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: web-${revision}
  labels: { app: web, pod-template-hash: h${revision} }
  annotations: { deployment.kubernetes.io/revision: '${revision}', kubernetes.io/change-cause: cause ${revision} }
  ownerReferences: [{ apiVersion: apps/v1, kind: Deployment, name: web, uid: $uid, controller: true, blockOwnerDeletion: true }]
spec:
  replicas: 0
  selector: { matchLabels: { app: web, pod-template-hash: h${revision} } }
  template:
    metadata: { labels: { app: web, pod-template-hash: h${revision} } }
    spec: { containers: [{ name: nginx, image: 'nginx:1.2${revision}' }] }
`;

/** Commands that change an object: label, annotate, set, scale, patch, edit, rollout. */
export const change: readonly KubectlScenario[] = [
  {
    name: 'change-labels',
    files: { 'objects.yaml': objects },
    steps: [
      'create -f objects.yaml',
      'label pod one color=red',
      'label pod one color=blue',
      'label pod one color=blue --overwrite',
      'label pod one color-',
      'label pod one color-',
      'label pods --all tested=yes',
      'label cm -l tier=front seen=yes -o name',
      { run: 'label pod one --list', reduce: sortedLines },
      "label pod one 'wrong key=1'",
      'label pod one a=b --resource-version=1',
      'label pod one a=b --dry-run=server -o yaml',
      'label --local -f objects.yaml a=b -o name',
      'annotate pod one note=text',
      'annotate pod one note=other',
      'annotate pod one note=other --overwrite',
      'annotate pod one note-',
      { run: 'annotate pod one --list', reduce: sortedLines },
      'annotate pods --field-selector metadata.name=one by=field',
      'annotate pod absent a=b',
      "get pod one -o 'jsonpath={.metadata.labels} {.metadata.annotations}'",
    ],
  },
  {
    name: 'change-set',
    files: { 'objects.yaml': objects },
    steps: [
      'create -f objects.yaml',
      'set image deployment/web nginx=nginx:1.28',
      'set image deployment/web nginx=nginx:1.28',
      'set image deployment/web other=nginx',
      "set image deployment/web '*=nginx:1.29' --dry-run=server -o yaml",
      'set env deployment/web MODE=live NEW=1',
      'set env deployment/web --list',
      'set env deployment/web NEW-',
      'set env deployment/web --from=configmap/second --prefix=CM_',
      'set resources deployment/web --limits=cpu=200m,memory=128Mi',
      'set resources deployment/web --limits=cpu=1m',
      'set selector service web app=other',
      'set serviceaccount deployment web robot',
      "get deployment web -o 'jsonpath={.spec.template.spec}'",
      'get deployment web -o yaml --show-managed-fields',
      "get service web -o 'jsonpath={.spec.selector}'",
    ],
  },
  {
    name: 'change-subject',
    files: {
      'objects.yaml': `apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: readers }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view }
subjects: []
`,
    },
    steps: [
      'create -f objects.yaml',
      'set subject rolebinding readers --user=ada --group=team --serviceaccount=change-subject:robot',
      "get rolebinding readers -o 'jsonpath={.subjects}'",
      'set subject rolebinding readers --user=ada',
      'set subject rolebinding absent --user=ada',
    ],
  },
  {
    name: 'change-scale',
    files: { 'deployment.yaml': deployment },
    steps: [
      'create -f deployment.yaml',
      'scale deployment web --replicas=3',
      'scale deployment web --replicas=4 --current-replicas=3',
      'scale deployment web --replicas=5 --current-replicas=3',
      { run: 'scale deployment web --replicas=5 --resource-version=1', replaces: [[/was \d+/g, 'was VERSION']] },
      'scale -f deployment.yaml --replicas=1 --dry-run=server -o yaml',
      'scale deployment absent --replicas=1',
      'scale deployment web --replicas=-1',
      'scale configmap kube-root-ca.crt --replicas=1',
      'get deployment web -o yaml --show-managed-fields',
      'autoscale deployment web --min=1 --max=3 --cpu=80%',
      'autoscale deployment web --min=1 --max=3 --name=other --cpu-percent=50 -o yaml',
      'get hpa',
      'autoscale deployment web --min=4 --max=3 --name=wrong',
    ],
  },
  {
    name: 'change-rollout',
    files: {
      'deployment.yaml': deployment,
      'set.yaml': `apiVersion: apps/v1
kind: DaemonSet
metadata: { name: agent }
spec:
  selector: { matchLabels: { app: agent } }
  template:
    metadata: { labels: { app: agent } }
    spec: { containers: [{ name: agent, image: busybox }] }
`,
    },
    steps: [
      'create -f deployment.yaml -f set.yaml',
      { run: 'rollout status deployment/web --timeout=1s', replaces: [[/ \(.*\)/g, '']] },
      'rollout status deployment/web --watch=false',
      'rollout history deployment/web',
      'rollout history deployment/web --revision=7',
      'rollout pause deployment/web',
      'rollout pause deployment/web',
      'rollout restart deployment/web',
      'rollout resume deployment/web',
      'rollout restart deployment/web',
      "get deployment web -o 'jsonpath={.spec.template.metadata.annotations}'",
      'rollout undo deployment/web',
      'rollout undo deployment/web --to-revision=3',
      'rollout history daemonset/agent',
      'rollout undo daemonset/agent',
      'rollout restart daemonset/agent',
      'rollout status daemonset/agent --watch=false',
      'rollout status pod/none',
    ],
  },
  {
    name: 'change-undo',
    files: {
      'deployment.yaml': deployment,
    },
    steps: [
      'create -f deployment.yaml',
      'annotate deployment web deployment.kubernetes.io/revision=2',
      { run: "get deployment web -o 'jsonpath={.metadata.uid}'", keep: 'uid' },
      { run: 'create -f -', stdin: [replicaSet(1), replicaSet(2)].join('---\n') },
      'rollout history deployment/web',
      'rollout history deployment/web --revision=1',
      'rollout history deployment/web -o name',
      'rollout undo deployment/web --dry-run=client',
      'rollout undo deployment/web --dry-run=server',
      'rollout undo deployment/web',
      "get deployment web -o 'jsonpath={.spec.template.spec.containers[0].image} {.metadata.annotations}'",
      'rollout undo deployment/web --to-revision=2',
      'rollout undo deployment/web --to-revision=9',
      'get deployment web -o yaml --show-managed-fields',
      'describe deployment web',
      'get rs',
    ],
  },
  {
    name: 'change-patch',
    files: { 'objects.yaml': objects, 'patch.yaml': 'data: { from: file }\n' },
    steps: [
      'create -f objects.yaml',
      `patch deployment web -p '{"spec":{"template":{"spec":{"containers":[{"name":"nginx","image":"nginx:2"}]}}}}'`,
      `patch deployment web -p '{"spec":{"replicas":2}}'`,
      `patch deployment web --type=merge -p '{"spec":{"replicas":4}}' -o yaml`,
      `patch deployment web --type=json -p '[{"op":"replace","path":"/spec/replicas","value":5}]' -o name`,
      `patch deployment web --type=json -p '[{"op":"test","path":"/spec/replicas","value":1}]'`,
      `patch deployment web --type=json -p '[{"op":"remove","path":"/spec/none"}]'`,
      `patch deployment web --type=json -p '[{"op":"replace","path":"/spec/replicas","value":5,"more":1}]'`,
      `patch deployment web --type=json -p '{"op":"remove"}'`,
      `patch deployment web --type=strategic -p '{"spec":{"template":{"spec":{"$patch":"replace","containers":[{"name":"x","image":"y"}]}}}}' --dry-run=server -o yaml`,
      `patch deployment web --subresource=status --type=merge -p '{"status":{"replicas":3,"observedGeneration":1}}' -o yaml`,
      `patch deployment web --subresource=scale --type=merge -p '{"spec":{"replicas":6}}' -o yaml`,
      'patch configmap first --patch-file=patch.yaml',
      `patch configmap first -p '{"data":{"key":null}}'`,
      `patch configmap first -p '{"unknown":1}'`,
      `patch configmap first -p '{"data":{"a":1}}'`,
      `patch configmap first -p 'data: {a: '`,
      `patch configmap absent -p '{"data":{}}'`,
      `patch configmap first --type=none -p '{}'`,
      `patch service web -p '{"spec":{"ports":[{"port":81,"name":"b"}]}}' -o yaml`,
      `patch service web -p '{"spec":{"clusterIP":"10.96.0.200"}}'`,
      `patch deployment web -p '{"spec":{"selector":{"matchLabels":{"app":"x"}}}}'`,
      `patch --local -f objects.yaml -p '{"metadata":{"labels":{"l":"1"}}}' -o name`,
      'get configmap first -o yaml --show-managed-fields',
    ],
  },
  {
    name: 'change-edit',
    files: { 'objects.yaml': objects },
    steps: [
      'create -f objects.yaml',
      { run: 'edit configmap first', editor: 'sed -i s/value/edited/' },
      { run: 'edit configmap first', editor: 'true' },
      { run: 'edit configmap first -o json', editor: 'sed -i s/edited/again/' },
      { run: 'edit deployment web', editor: 'sed -i s/replicas:.2/replicas:.3/' },
      { run: 'edit deployment web --subresource=status', editor: 'sed -i s/observedGeneration/none/' },
      { run: 'edit configmap first --save-config', editor: 'sed -i s/again/saved/' },
      { run: 'edit configmap absent', editor: 'true' },
      { run: 'edit configmap second --output-patch', editor: 'sed -i s/key:.b/key:.c/' },
      {
        run: 'edit configmap second',
        editor: 'sed -i s/name:.second/name:.Second/',
      },
      "get configmap first -o 'jsonpath={.data}'",
    ],
  },
  {
    name: 'change-expose',
    files: { 'objects.yaml': objects },
    steps: [
      'create -f objects.yaml',
      'expose deployment web --name=exposed --port=8080 --target-port=80',
      'expose deployment web --name=typed --type=NodePort -o yaml',
      'expose pod one --port=80 --dry-run=server -o yaml',
      'expose service web --name=second --port=90 --session-affinity=ClientIP',
      'expose deployment absent --port=80',
      'expose configmap first --port=80',
      'expose deployment web',
      'get services exposed typed second -o wide',
      'run runner --image=busybox --restart=Never --env=A=b --labels=run=yes --port=80 -o yaml',
      'run dry --image=busybox --dry-run=server -o name',
      'run exposed-pod --image=busybox --port=80 --expose',
      'run runner --image=busybox',
      'run Wrong --image=busybox',
      'run over --image=busybox --overrides=\'{"spec":{"nodeName":"none"}}\' -o \'jsonpath={.spec.nodeName}\'',
      'get pods',
    ],
  },
];
