/** Commands, each after the name of its scenario, that print something else on the embedded server. */
export interface KnownDifference {
  readonly reason: string;
  readonly commands: readonly string[];
}

/** The differences that are not mistakes, or are not yet mended. */
export const knownDifferences: readonly KnownDifference[] = [
  {
    reason:
      'The embedded server does not serve ComponentStatus: it has no scheduler, controller manager and etcd whose state it could tell.',
    commands: [
      'cluster-resources: api-resources',
      'cluster-resources: api-resources -o wide',
      'cluster-resources: api-resources -o name',
      'cluster-resources: api-resources --namespaced=false',
      'cluster-resources: api-resources --verbs=list,get --sort-by=kind',
    ],
  },
  {
    reason: 'The embedded server lists the paths that it handles; a real server also lists those of its hooks and aggregation.',
    commands: ['cluster-raw: get --raw /'],
  },
  {
    reason: 'The embedded server has metrics of its own.',
    commands: ['cluster-raw: get --raw /metrics'],
  },
  {
    reason: 'The second version of the OpenAPI document has no descriptions and no shared parameters on the embedded server.',
    commands: ['cluster-raw: get --raw /openapi/v2'],
  },
  {
    reason: 'The embedded server publishes types without descriptions.',
    commands: [
      'cluster-explain: explain deployments',
      'cluster-explain: explain deployment.spec',
      'cluster-explain: explain pod.spec.containers.image',
      'cluster-explain: explain configmap --recursive',
      'cluster-explain: explain hpa.spec --api-version=autoscaling/v1',
      'cluster-explain: explain horizontalpodautoscalers.spec.metrics --api-version=autoscaling/v2',
      'cluster-explain: explain configmap -o plaintext-openapiv2',
    ],
  },
  {
    reason: 'kubectl computes this patch from the OpenAPI document without the warning that it prints for the document of a real server.',
    commands: ['apply-client-side: apply -f deployment.yaml --overwrite=false -o name'],
  },
  {
    reason: 'No controller of the embedded server watches volumes in use, so it adds no finalizer that nothing would remove.',
    commands: ['get-kinds: describe pvc claim', 'describe-cluster-wide: describe pv describe-cluster-wide'],
  },
  {
    reason: 'The members of a JSON body have another order, which JSON gives no meaning.',
    commands: ['create-files: create --raw /api/v1/namespaces/create-files/configmaps -f raw.json'],
  },
  {
    reason: 'The roles for users of the embedded server have their rules; on the real server of the tests, no controller collects them.',
    commands: ['describe-rights: describe clusterrole view'],
  },
  {
    reason: 'The garbage collector of the embedded server orphans dependents at once; the real server of the tests runs none.',
    commands: ['delete: create -f deployment.yaml --dry-run=server'],
  },
];
