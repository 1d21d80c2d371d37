import type { KubectlScenario, Replacement } from '../scenario.js';
import { configMaps, deployment } from './manifests.js';

const map = (data: string, more = '') => `apiVersion: v1
kind: ConfigMap
metadata: { name: applied, labels: { prune: 'yes' } }
data: ${data}
${more}`;

/** Follows the name of a file in the head of a diff. */
const diffTime: Replacement = [/\t.*$/gm, ''];

/** `kubectl apply`, diff, replace and delete. */
export const apply: readonly KubectlScenario[] = [
  {
    name: 'apply-client-side',
    files: {
      'one.yaml': map('{ a: one, b: one }'),
      'two.yaml': map('{ a: two }'),
      'second.yaml': map('{ a: two }').replace('applied', 'other'),
      'unknown.yaml': map('{ a: two }', 'unknown: 1\n'),
      'deployment.yaml': deployment,
      'newer.yaml': deployment.replace('1.27', '1.28').replace('replicas: 2', 'replicas: 4'),
    },
    steps: [
      'apply -f one.yaml',
      'apply -f one.yaml',
      'diff -f one.yaml',
      {
        run: 'diff -f two.yaml',
        replaces: [diffTime],
      },
      'apply -f two.yaml',
      'apply -f two.yaml -o yaml --show-managed-fields',
      'apply view-last-applied configmap applied',
      'apply view-last-applied -f one.yaml -o json',
      'apply set-last-applied -f one.yaml',
      'apply set-last-applied -f one.yaml',
      { run: 'apply edit-last-applied configmap/applied', editor: 'sed -i s/one/edited/' },
      'apply view-last-applied configmap/applied',
      'apply -f unknown.yaml',
      'apply -f unknown.yaml --validate=warn',
      'apply -f second.yaml --dry-run=server',
      'apply -f second.yaml --dry-run=client -o name',
      'create configmap made --from-literal=a=b --dry-run=client -o yaml',
      'apply -f deployment.yaml',
      'apply -f newer.yaml',
      {
        run: 'diff -f deployment.yaml',
        replaces: [diffTime],
      },
      'apply -f deployment.yaml --overwrite=false -o name',
      'get deployment web -o yaml --show-managed-fields',
    ],
  },
  {
    name: 'apply-server-side',
    files: { 'one.yaml': map('{ a: one, b: one }'), 'two.yaml': map('{ a: two }'), 'deployment.yaml': deployment },
    steps: [
      'apply --server-side -f one.yaml',
      'apply --server-side -f one.yaml',
      'apply --server-side -f two.yaml --field-manager=other',
      'apply --server-side -f two.yaml --field-manager=other --force-conflicts',
      'apply --server-side -f one.yaml --dry-run=server -o yaml',
      {
        run: 'diff --server-side -f one.yaml --field-manager=third',
        replaces: [diffTime],
      },
      {
        run: 'diff --server-side -f one.yaml --field-manager=third --force-conflicts',
        replaces: [diffTime],
      },
      'get configmap applied -o yaml --show-managed-fields',
      'apply -f deployment.yaml',
      'apply --server-side -f deployment.yaml',
      'get deployment web -o yaml --show-managed-fields',
    ],
  },
  {
    name: 'apply-prune',
    files: { 'both.yaml': configMaps, 'one.yaml': configMaps.split('---\n')[0]!, 'last.yaml': configMaps.split('---\n')[2]! },
    steps: [
      'apply -f both.yaml',
      'apply -f one.yaml --prune -l tier=front --dry-run=client',
      'apply -f one.yaml --prune -l tier=front --prune-allowlist=core/v1/ConfigMap',
      'get configmaps -o name',
      'apply -f last.yaml --prune --all --prune-allowlist=core/v1/ConfigMap',
      'get configmaps -o name',
      'apply -f one.yaml --prune',
    ],
  },
  {
    name: 'apply-kustomize',
    files: {
      'kustomization.yaml': 'resources: [map.yaml]\nnamePrefix: my-\nlabels: [{ pairs: { by: kustomize } }]\n',
      'map.yaml': map('{ a: one }'),
    },
    steps: ['kustomize .', 'apply -k .', 'get -k .', 'diff -k .', 'delete -k .', 'kustomize absent'],
  },
  {
    name: 'replace',
    files: {
      'objects.yaml': configMaps,
      'changed.yaml': configMaps.split('---\n')[0]!.replace('value', 'changed'),
      'absent.yaml': map('{ a: b }'),
      'version.yaml': configMaps.split('---\n')[0]!.replace('{ name: first,', "{ name: first, resourceVersion: '1',"),
      'uid.yaml': configMaps.split('---\n')[0]!.replace('{ name: first,', '{ name: first, uid: 0-0,'),
      'unknown.yaml': `${configMaps.split('---\n')[0]!}unknown: 1\n`,
      'deployment.yaml': deployment,
      'selector.yaml': deployment.replaceAll('{ app: web }', '{ app: other }'),
    },
    steps: [
      'create -f objects.yaml -f deployment.yaml',
      'replace -f changed.yaml',
      'replace -f changed.yaml -o yaml',
      'replace -f absent.yaml',
      'replace -f version.yaml',
      { run: 'replace -f uid.yaml', replaces: [[/UID in object meta: .*$/gm, 'UID']] },
      'replace -f unknown.yaml',
      'replace -f unknown.yaml --validate=warn',
      'replace -f selector.yaml',
      'replace --force -f selector.yaml',
      'replace --force -f changed.yaml --grace-period=0',
      'replace -f changed.yaml --dry-run=server',
      'replace --raw /api/v1/namespaces/replace/configmaps/absent -f absent.yaml',
      'replace -f deployment.yaml --subresource=status',
    ],
  },
  {
    name: 'delete',
    files: { 'objects.yaml': configMaps, 'deployment.yaml': deployment },
    steps: [
      'create -f objects.yaml -f deployment.yaml',
      'delete configmap first --dry-run=client',
      'delete configmap first --dry-run=server',
      'delete configmap first',
      'delete configmap first',
      'delete configmap first --ignore-not-found',
      'delete configmap -l tier=none',
      'delete configmap -l tier=front --dry-run=server',
      'delete configmap -l tier=front',
      'delete configmaps --field-selector metadata.name=none',
      'delete configmaps --all --wait=false',
      'create -f objects.yaml',
      'delete configmap/second configmap/third -o name',
      'delete deployment web --cascade=orphan --wait=false',
      'create -f deployment.yaml --dry-run=server',
      'delete configmap first --grace-period=0 --force',
      'delete configmap',
      'delete unicorns --all',
      'delete -f objects.yaml',
      'delete -f objects.yaml --ignore-not-found',
      'delete --raw /api/v1/namespaces/delete/configmaps/absent',
    ],
  },
  {
    name: 'delete-finalizers',
    files: {
      'held.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: held, finalizers: [example.com/hold] }\n',
      'pod.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: { name: one }\nspec: { containers: [{ name: c, image: busybox }] }\n',
    },
    steps: [
      'create -f held.yaml -f pod.yaml',
      'delete configmap held --wait=false',
      'delete configmap held --timeout=2s',
      "get configmap held -o 'jsonpath={.metadata.deletionGracePeriodSeconds} {.metadata.finalizers}'",
      `patch configmap held --type=json -p '[{"op":"remove","path":"/metadata/finalizers"}]'`,
      'get configmap held',
      'delete pod one --grace-period=5 --wait=false',
      'delete pod one --now',
      'get pods',
    ],
  },
];
