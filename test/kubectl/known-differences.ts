/** Commands, each after the name of its scenario, that print something else on the embedded server. */
export interface KnownDifference {
  readonly reason: string;
  readonly commands: readonly string[];
}

/** The differences that are not mistakes, or are not yet mended. */
export const knownDifferences: readonly KnownDifference[] = [
  {
    reason: 'The lists of resources, health checks, /openapi/v2 and descriptions of fields are not yet those of a real server.',
    commands: [
      'cluster-resources: api-resources',
      'cluster-resources: api-resources -o wide',
      'cluster-resources: api-resources -o name',
      'cluster-resources: api-resources --namespaced=false',
      'cluster-resources: api-resources --verbs=list,get --sort-by=kind',
      'cluster-raw: get --raw /',
      'cluster-raw: get --raw /metrics',
      'cluster-raw: get --raw /openapi/v2',
      'cluster-raw: get --raw /openapi/v3',
      'cluster-explain: explain deployments',
      'cluster-explain: explain deployment.spec',
      'cluster-explain: explain pod.spec.containers.image',
      'cluster-explain: explain configmap --recursive',
      'cluster-explain: explain hpa.spec --api-version=autoscaling/v1',
      'cluster-explain: explain horizontalpodautoscalers.spec.metrics --api-version=autoscaling/v2',
      'cluster-explain: explain configmap -o plaintext-openapiv2',
      'custom-objects: explain ship.spec',
      'custom-objects: explain ship --recursive',
      'apply-client-side: apply -f deployment.yaml --overwrite=false -o name',
    ],
  },
  {
    reason: 'The embedded server does not yet answer with Tables.',
    commands: [
      'get-forms: get configmaps --sort-by=.data.key',
      'get-kinds: get pvc,networkpolicies,limitranges,endpoints,endpointslices,leases,podtemplates,hpa',
      'get-kinds: get pvc,networkpolicies,limitranges,endpoints,endpointslices,leases,podtemplates,hpa -o wide',
      'get-forms: get configmaps --sort-by=.data.none',
    ],
  },
  {
    reason: 'The embedded server does not check all that the validation of the kind checks.',
    commands: [
      'custom-invalid: get crd ships.other.example.com',
      'change-patch: patch service web -p \'{"spec":{"clusterIP":"10.96.0.200"}}\'',
      'change-patch: patch deployment web -p \'{"spec":{"selector":{"matchLabels":{"app":"x"}}}}\'',
      'custom-invalid: create -f name.yaml',
      'custom-invalid: create -f schema.yaml',
      'custom-invalid: create -f version.yaml',
    ],
  },
  {
    reason: 'The embedded server has no admission that protects volumes in use, taints new nodes or fills in limits.',
    commands: [
      'cluster-nodes: describe node cluster-nodes-1',
      'cluster-nodes: get node cluster-nodes-1 -o yaml --show-managed-fields',
      'get-kinds: describe pvc claim',
      'get-kinds: describe limitrange limits',
      'describe-cluster-wide: describe pv describe-cluster-wide',
    ],
  },
  {
    reason: 'The embedded server does not yet read protobuf bodies; later commands of the scenario miss the object.',
    commands: [
      'create-services: create service nodeport again --tcp=80:8080 --node-port=31234',
      'create-services: get services',
      'create-services: get services -o wide',
    ],
  },
  {
    reason: 'Bodies of the embedded server have the members in another order.',
    commands: ['create-files: create --raw /api/v1/namespaces/create-files/configmaps -f raw.json'],
  },
  {
    reason: 'The embedded server warns of no deprecated built-in API.',
    commands: [
      'get-kinds: create -f objects.yaml',
      'get-kinds: get sts,ds,rs,rc,netpol,limits,ep -o name',
      'apply-prune: apply -f one.yaml --prune -l tier=front --dry-run=client',
    ],
  },
  {
    reason: 'The embedded server has no template generation of a DaemonSet, no protocol of ports of Endpoints.',
    commands: ['get-kinds: describe ds agent', 'get-kinds: describe endpoints away'],
  },
  {
    reason: 'The embedded server has other bootstrap roles, which are not aggregated.',
    commands: ['describe-rights: describe clusterrole view', 'describe-rights: describe clusterrolebinding cluster-admin'],
  },
  {
    reason: 'The embedded server does not yet serve autoscaling/v1, and keeps the events of its two groups apart.',
    commands: ['describe-events: get events.events.k8s.io'],
  },
  {
    reason: 'The garbage collector of the embedded server orphans dependents at once; the real server of the tests runs none.',
    commands: ['delete: create -f deployment.yaml --dry-run=server'],
  },
];
