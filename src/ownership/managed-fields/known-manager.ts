/** The tool behind a field manager. */
export type Tool =
  | 'argo-cd'
  | 'cert-manager'
  | 'crossplane'
  | 'flux'
  | 'helm'
  | 'kapp'
  | 'kubectl'
  | 'kubernetes'
  | 'pulumi'
  | 'server'
  | 'terraform'
  | 'unnamed';

/** A field manager with a well-known name. */
export interface KnownManager {
  readonly tool: Tool;
  /** Shown beside the name, such as `Argo CD` for argocd-controller; absent if the name itself says it, such as kubectl-edit. */
  readonly label?: string;
  /** The behavior of the client towards its fields, as a sentence. */
  readonly behavior: string;
}

/** The part of an entry of managedFields by which a manager is known: one name may stand for several clients. */
export interface ManagerKey {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly subresource?: string;
}

interface Rule extends KnownManager {
  /** A name, or a pattern of names. */
  readonly name: string | RegExp;
  readonly operation?: 'Apply' | 'Update';
  readonly subresource?: string;
}

/** In the order of precedence: of two rules that fit, the first one counts. */
const rules: readonly Rule[] = [
  {
    name: 'kubectl-client-side-apply',
    tool: 'kubectl',
    label: 'kubectl apply',
    behavior:
      'It writes again at the next `kubectl apply`: fields that its file has, and those that the file no longer has, which it removes.',
  },
  {
    name: 'kubectl-last-applied',
    tool: 'kubectl',
    label: 'kubectl apply --server-side',
    behavior: 'It keeps the annotation of client-side apply current at each `kubectl apply --server-side`.',
  },
  {
    name: 'kubectl',
    operation: 'Apply',
    tool: 'kubectl',
    label: 'kubectl apply --server-side',
    behavior: 'It writes again at the next `kubectl apply --server-side`, and stops at a conflict unless it runs with --force-conflicts.',
  },
  {
    name: 'kubectl',
    subresource: 'scale',
    tool: 'kubectl',
    behavior: 'A person or script ran `kubectl scale`. It writes again only if somebody runs it again.',
  },
  {
    name: /^kubectl(-[a-z-]+)?$/,
    tool: 'kubectl',
    behavior: 'A person or script ran this command of kubectl. It writes again only if somebody runs it again.',
  },
  {
    name: 'helm',
    operation: 'Apply',
    tool: 'helm',
    label: 'Helm 4',
    behavior:
      'It applies its chart at the next `helm upgrade` or `helm rollback`, and stops at a conflict unless it runs with --force-conflicts.',
  },
  {
    name: 'helm',
    tool: 'helm',
    label: 'Helm',
    behavior:
      'At the next `helm upgrade` or `helm rollback`, it patches the fields that differ between its chart and the former one or the object.',
  },
  {
    name: 'helm-controller',
    tool: 'flux',
    label: 'Flux',
    behavior: 'It upgrades its HelmRelease when the chart or its values change, and with drift detection corrects fields at each interval.',
  },
  {
    name: 'kustomize-controller',
    tool: 'flux',
    label: 'Flux',
    behavior: 'It applies its manifests with force at each interval, so it takes these fields back from everybody.',
  },
  { name: 'flux', tool: 'flux', label: 'Flux command line', behavior: 'It writes at the next run of a `flux` command.' },
  {
    name: /^argocd-(application-)?controller$/,
    tool: 'argo-cd',
    label: 'Argo CD',
    behavior: 'It writes its manifests at each sync; with automated sync and selfHeal, it takes these fields back soon after they differ.',
  },
  {
    name: 'argocd-server',
    tool: 'argo-cd',
    label: 'Argo CD',
    behavior: 'Somebody ran an action of the user interface or the command line.',
  },
  {
    name: 'kube-controller-manager',
    subresource: 'scale',
    tool: 'kubernetes',
    label: 'HorizontalPodAutoscaler',
    behavior: 'It sets the number of replicas whenever its metrics ask for another one, and has the last word.',
  },
  {
    name: 'kube-controller-manager',
    tool: 'kubernetes',
    label: 'controllers of Kubernetes',
    behavior: 'A controller of Kubernetes keeps these fields current.',
  },
  { name: 'kubelet', tool: 'kubernetes', behavior: 'The kubelet of a node keeps these fields current.' },
  { name: 'kube-scheduler', tool: 'kubernetes', behavior: 'The scheduler sets these fields when it assigns a Pod to a node.' },
  { name: 'kube-apiserver', tool: 'kubernetes', behavior: 'The API server itself keeps these fields current.' },
  {
    name: 'before-first-apply',
    tool: 'server',
    label: 'fields from before the first apply',
    behavior:
      'Not a client: the server records under this name the fields that existed before the first server-side apply. It never writes.',
  },
  {
    name: 'ancient-changes',
    tool: 'server',
    label: 'entries merged by the server',
    behavior: 'Not a client: the server merges the oldest of many updaters under this name. It never writes.',
  },
  {
    name: /^pulumi-(resource-)?kubernetes(-[0-9a-f]+)?$/,
    tool: 'pulumi',
    label: 'Pulumi',
    behavior: 'It applies its program at the next `pulumi up`.',
  },
  {
    name: /^(Terraform|HashiCorp|terraform-provider-(kubernetes|kubectl)([_-].*)?)$/,
    tool: 'terraform',
    label: 'Terraform',
    behavior: 'It writes at the next `terraform apply` whose plan shows a difference.',
  },
  {
    name: /^terraform-provider-helm([_-].*)?$/,
    tool: 'terraform',
    label: 'Helm in Terraform',
    behavior: 'It upgrades its release at the next `terraform apply` whose plan shows a difference.',
  },
  {
    name: /^(apiextensions|protection|ops)\.crossplane\.io\/|^crossplane-kubernetes-provider$|^provider-kubernetes(\/.*)?$/,
    tool: 'crossplane',
    label: 'Crossplane',
    behavior: 'It applies its compositions or objects at each reconciliation, so it takes these fields back soon after they differ.',
  },
  { name: /^kapp(-server-side-fieldmanager)?$/, tool: 'kapp', label: 'kapp', behavior: 'It writes at the next `kapp deploy`.' },
  {
    name: /^cert-manager(-[a-z-]+)?$/,
    tool: 'cert-manager',
    behavior: 'A controller of cert-manager keeps these fields current.',
  },
  {
    name: /^(manager|controller|operator)$/,
    tool: 'unnamed',
    label: 'a controller that sets no name',
    behavior: 'A controller that uses the name of its program. Controllers usually write again soon after a field differs.',
  },
  {
    name: /^(unknown|node-fetch|OpenAPI-Generator|Go-http-client|curl|Mozilla|python-requests|okhttp|axios)$/,
    tool: 'unnamed',
    label: 'a client that sets no name',
    behavior: 'A client that sets no field manager, so the server took the name of its HTTP library.',
  },
];

/** Returns what the field manager with a well-known name is; undefined for any other. Names are claims: any client may use any name. */
export function knownManager({ manager, operation, subresource = '' }: ManagerKey): KnownManager | undefined {
  const rule = rules.find(
    ({ name, ...only }) =>
      (typeof name === 'string' ? name === manager : name.test(manager)) &&
      (only.operation ?? operation) === operation &&
      (only.subresource ?? subresource) === subresource,
  );
  if (rule === undefined) return undefined;
  const { tool, label, behavior } = rule;
  return { tool, ...(label === undefined ? {} : { label }), behavior };
}
