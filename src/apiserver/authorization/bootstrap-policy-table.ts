/**
 * The roles and bindings that a server makes for itself, from the answers of a real one. Do not edit: on a real server,
 * `vitest -u` of test/apiserver/requests/bootstrap-policy.test.ts writes it.
 *
 * A rule is below its role, `GROUPS/RESOURCES VERBS NAMES` or `url URLS VERBS`. A binding is followed by its role and subjects.
 */
export const bootstrapPolicyTable = `
ClusterRole/admin
ClusterRole/cluster-admin
  */* *
  url * *
ClusterRole/edit
ClusterRole/system:aggregate-to-admin
  authorization.k8s.io/localsubjectaccessreviews create
  rbac.authorization.k8s.io/rolebindings,roles create,delete,deletecollection,get,list,patch,update,watch
ClusterRole/system:aggregate-to-edit
  core/pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,services/proxy get,list,watch
  core/serviceaccounts impersonate
  core/pods,pods/attach,pods/exec,pods/portforward,pods/proxy create,delete,deletecollection,patch,update
  core/pods/eviction create
  core/configmaps,persistentvolumeclaims,replicationcontrollers,replicationcontrollers/scale,secrets,serviceaccounts,services,services/proxy create,delete,deletecollection,patch,update
  core/serviceaccounts/token create
  core,events.k8s.io/events create,delete,deletecollection,patch,update
  apps/daemonsets,deployments,deployments/rollback,deployments/scale,replicasets,replicasets/scale,statefulsets,statefulsets/scale create,delete,deletecollection,patch,update
  autoscaling/horizontalpodautoscalers create,delete,deletecollection,patch,update
  batch/cronjobs,jobs create,delete,deletecollection,patch,update
  extensions/daemonsets,deployments,deployments/rollback,deployments/scale,ingresses,networkpolicies,replicasets,replicasets/scale,replicationcontrollers/scale create,delete,deletecollection,patch,update
  policy/poddisruptionbudgets create,delete,deletecollection,patch,update
  networking.k8s.io/ingresses,networkpolicies create,delete,deletecollection,patch,update
  coordination.k8s.io/leases create,delete,deletecollection,get,list,patch,update,watch
  resource.k8s.io/resourceclaims,resourceclaimtemplates create,delete,deletecollection,patch,update
ClusterRole/system:aggregate-to-view
  core/configmaps,endpoints,persistentvolumeclaims,persistentvolumeclaims/status,pods,replicationcontrollers,replicationcontrollers/scale,serviceaccounts,services,services/status get,list,watch
  core/bindings,limitranges,namespaces/status,pods/log,pods/status,replicationcontrollers/status,resourcequotas,resourcequotas/status get,list,watch
  core/namespaces get,list,watch
  core,events.k8s.io/events get,list,watch
  discovery.k8s.io/endpointslices get,list,watch
  apps/controllerrevisions,daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,replicasets,replicasets/scale,replicasets/status,statefulsets,statefulsets/scale,statefulsets/status get,list,watch
  autoscaling/horizontalpodautoscalers,horizontalpodautoscalers/status get,list,watch
  batch/cronjobs,cronjobs/status,jobs,jobs/status get,list,watch
  extensions/daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,ingresses,ingresses/status,networkpolicies,replicasets,replicasets/scale,replicasets/status,replicationcontrollers/scale get,list,watch
  policy/poddisruptionbudgets,poddisruptionbudgets/status get,list,watch
  networking.k8s.io/ingresses,ingresses/status,networkpolicies get,list,watch
  resource.k8s.io/resourceclaims,resourceclaims/status,resourceclaimtemplates get,list,watch
ClusterRole/system:auth-delegator
  authentication.k8s.io/tokenreviews create
  authorization.k8s.io/subjectaccessreviews create
ClusterRole/system:basic-user
  authorization.k8s.io/selfsubjectaccessreviews,selfsubjectrulesreviews create
  authentication.k8s.io/selfsubjectreviews create
ClusterRole/system:certificates.k8s.io:certificatesigningrequests:nodeclient
  certificates.k8s.io/certificatesigningrequests/nodeclient create
ClusterRole/system:certificates.k8s.io:certificatesigningrequests:selfnodeclient
  certificates.k8s.io/certificatesigningrequests/selfnodeclient create
ClusterRole/system:certificates.k8s.io:kube-apiserver-client-approver
  certificates.k8s.io/signers approve kubernetes.io/kube-apiserver-client
ClusterRole/system:certificates.k8s.io:kube-apiserver-client-kubelet-approver
  certificates.k8s.io/signers approve kubernetes.io/kube-apiserver-client-kubelet
ClusterRole/system:certificates.k8s.io:kubelet-serving-approver
  certificates.k8s.io/signers approve kubernetes.io/kubelet-serving
ClusterRole/system:certificates.k8s.io:legacy-unknown-approver
  certificates.k8s.io/signers approve kubernetes.io/legacy-unknown
ClusterRole/system:controller:attachdetach-controller
  core/persistentvolumeclaims,persistentvolumes list,watch
  core/nodes get,list,watch
  core/nodes/status patch,update
  core/pods list,watch
  core,events.k8s.io/events create,patch,update
  storage.k8s.io/volumeattachments create,delete,get,list,watch
  storage.k8s.io/csidrivers get,list,watch
  storage.k8s.io/csinodes get,list,watch
ClusterRole/system:controller:certificate-controller
  certificates.k8s.io/certificatesigningrequests delete,get,list,watch
  certificates.k8s.io/certificatesigningrequests/approval,certificatesigningrequests/status update
  certificates.k8s.io/signers approve kubernetes.io/kube-apiserver-client-kubelet
  certificates.k8s.io/signers sign kubernetes.io/kube-apiserver-client,kubernetes.io/kube-apiserver-client-kubelet,kubernetes.io/kubelet-serving,kubernetes.io/legacy-unknown
  authorization.k8s.io/subjectaccessreviews create
  core,events.k8s.io/events create,patch,update
ClusterRole/system:controller:clusterrole-aggregation-controller
  rbac.authorization.k8s.io/clusterroles escalate,get,list,patch,update,watch
ClusterRole/system:controller:cronjob-controller
  batch/cronjobs get,list,update,watch
  batch/jobs create,delete,get,list,patch,update,watch
  batch/cronjobs/status update
  batch/cronjobs/finalizers update
  core/pods delete,list,watch
  core,events.k8s.io/events create,patch,update
ClusterRole/system:controller:daemon-set-controller
  apps,extensions/daemonsets get,list,watch
  apps,extensions/daemonsets/status update
  apps,extensions/daemonsets/finalizers update
  core/nodes list,watch
  core/pods create,delete,list,patch,watch
  core/pods/binding create
  apps/controllerrevisions create,delete,get,list,patch,update,watch
  core,events.k8s.io/events create,patch,update
ClusterRole/system:controller:deployment-controller
  apps,extensions/deployments get,list,update,watch
  apps,extensions/deployments/status update
  apps,extensions/deployments/finalizers update
  apps,extensions/replicasets create,delete,get,list,patch,update,watch
  core/pods get,list,update,watch
  core,events.k8s.io/events create,patch,update
ClusterRole/system:controller:device-taint-eviction-controller
  core/pods delete,get,list,watch
  core/pods/status patch,update
  resource.k8s.io/resourceclaims get,list,watch
  resource.k8s.io/resourceslices get,list,watch
  resource.k8s.io/deviceclasses get,list,watch
  core,events.k8s.io/events create,patch,update
ClusterRole/system:controller:disruption-controller
  apps,extensions/deployments get,list,watch
  apps,extensions/replicasets get,list,watch
  core/replicationcontrollers get,list,watch
  policy/poddisruptionbudgets get,list,watch
  apps/statefulsets get,list,watch
  policy/poddisruptionbudgets/status update
  core/pods/status patch,update
  */*/scale get
  core,events.k8s.io/events create,patch,update
ClusterRole/system:controller:endpoint-controller
  core/pods,services get,list,watch
  core/endpoints create,delete,get,list,update,watch
  core/endpoints/restricted create
  core,events.k8s.io/events create,patch,update
ClusterRole/system:controller:endpointslice-controller
  core/nodes,pods,services get,list,watch
  core/services/finalizers update
  discovery.k8s.io/endpointslices create,delete,get,list,update,watch
  core,events.k8s.io/events create,patch,update
ClusterRole/system:controller:endpointslicemirroring-controller
  core/endpoints,services get,list,watch
  core/services/finalizers update
  core/endpoints/finalizers update
  discovery.k8s.io/endpointslices create,delete,get,list,update,watch
  core,events.k8s.io/events create,patch,update
ClusterRole/system:controller:ephemeral-volume-controller
  core/pods get,list,watch
  core/pods/finalizers update
  core/persistentvolumeclaims create,get,list,watch
  core,events.k8s.io/events create,patch,update
ClusterRole/system:controller:expand-controller
  core/persistentvolumes get,list,patch,update,watch
  core/persistentvolumeclaims/status patch,update
  core/persistentvolumeclaims get,list,watch
  core,events.k8s.io/events create,patch,update
ClusterRole/system:controller:generic-garbage-collector
  */* delete,get,list,patch,update,watch
  core,events.k8s.io/events create,patch,update
ClusterRole/system:controller:horizontal-pod-autoscaler
  autoscaling/horizontalpodautoscalers get,list,watch
  autoscaling/horizontalpodautoscalers/status update
  */*/scale get,update
  core/pods list,watch
  metrics.k8s.io/pods list,watch
  custom.metrics.k8s.io/* get,list,watch
  external.metrics.k8s.io/* get,list,watch
  core,events.k8s.io/events create,patch,update
ClusterRole/system:controller:job-controller
  batch/jobs get,list,patch,update,watch
  batch/jobs/status update
  batch/jobs/finalizers update
  core/pods create,delete,list,patch,watch
  core,events.k8s.io/events create,patch,update
ClusterRole/system:controller:legacy-service-account-token-cleaner
  core/configmaps get kube-apiserver-legacy-service-account-token-tracking
  core/secrets delete,patch
ClusterRole/system:controller:namespace-controller
  core/namespaces delete,get,list,watch
  core/namespaces/finalize,namespaces/status update
  */* delete,deletecollection,get,list,watch
ClusterRole/system:controller:node-controller
  core/nodes delete,get,list,patch,update,watch
  core/nodes/status patch,update
  core/pods/status patch,update
  core/pods delete,get,list,watch
  core,events.k8s.io/events create,patch,update
ClusterRole/system:controller:persistent-volume-binder
  core/persistentvolumes create,delete,get,list,update,watch
  core/persistentvolumes/status update
  core/persistentvolumeclaims get,list,update,watch
  core/persistentvolumeclaims/status update
  core/pods create,delete,get,list,watch
  storage.k8s.io/storageclasses get,list,watch
  core/nodes list,watch
  core,events.k8s.io/events create,patch,update
  core/events watch
ClusterRole/system:controller:pod-garbage-collector
  core/pods delete,list,watch
  core/nodes get,list,watch
  core/pods/status patch
ClusterRole/system:controller:pv-protection-controller
  core/persistentvolumes get,list,update,watch
  core,events.k8s.io/events create,patch,update
ClusterRole/system:controller:pvc-protection-controller
  core/persistentvolumeclaims get,list,update,watch
  core/persistentvolumeclaims/status update
  core/pods get,list,watch
  core,events.k8s.io/events create,patch,update
ClusterRole/system:controller:replicaset-controller
  apps,extensions/replicasets get,list,update,watch
  apps,extensions/replicasets/status update
  apps,extensions/replicasets/finalizers update
  core/pods create,delete,list,patch,watch
  core,events.k8s.io/events create,patch,update
ClusterRole/system:controller:replication-controller
  core/replicationcontrollers get,list,update,watch
  core/replicationcontrollers/status update
  core/replicationcontrollers/finalizers update
  core/pods create,delete,list,patch,watch
  core,events.k8s.io/events create,patch,update
ClusterRole/system:controller:resource-claim-controller
  core/pods get,list,watch
  core/pods/finalizers update
  resource.k8s.io/resourceclaims create,delete,get,list,watch
  resource.k8s.io/resourceclaims,resourceclaims/status patch,update
  core/pods/status patch,update
  core,events.k8s.io/events create,patch,update
  resource.k8s.io/resourceclaims/binding patch,update
ClusterRole/system:controller:resourcequota-controller
  */* list,watch
  core/resourcequotas/status update
  core,events.k8s.io/events create,patch,update
ClusterRole/system:controller:root-ca-cert-publisher
  core/configmaps create,update
  core,events.k8s.io/events create,patch,update
ClusterRole/system:controller:route-controller
  core/nodes list,watch
  core/nodes/status patch
  core,events.k8s.io/events create,patch,update
ClusterRole/system:controller:selinux-warning-controller
  core,events.k8s.io/events create,patch,update
  core/persistentvolumes get,list,watch
  core/persistentvolumeclaims get,list,watch
  core/pods get,list,watch
  storage.k8s.io/csidrivers get,list,watch
ClusterRole/system:controller:service-account-controller
  core/serviceaccounts create
  core,events.k8s.io/events create,patch,update
ClusterRole/system:controller:service-cidrs-controller
  networking.k8s.io/servicecidrs get,list,patch,update,watch
  networking.k8s.io/servicecidrs/finalizers patch,update
  networking.k8s.io/servicecidrs/status patch,update
  networking.k8s.io/ipaddresses get,list,watch
  core,events.k8s.io/events create,patch,update
ClusterRole/system:controller:service-controller
  core/services get,list,watch
  core/services/status patch,update
  core/nodes list,watch
  core,events.k8s.io/events create,patch,update
ClusterRole/system:controller:statefulset-controller
  core/pods list,watch
  apps/statefulsets get,list,watch
  apps/statefulsets/status update
  apps/statefulsets/finalizers update
  core/pods create,delete,get,patch,update
  apps/controllerrevisions create,delete,get,list,patch,update,watch
  core/persistentvolumeclaims create,get,list,watch
  core/persistentvolumeclaims delete,update
  core/pods/finalizers update
  core,events.k8s.io/events create,patch,update
ClusterRole/system:controller:ttl-after-finished-controller
  batch/jobs delete,get,list,watch
  core,events.k8s.io/events create,patch,update
ClusterRole/system:controller:ttl-controller
  core/nodes list,patch,update,watch
  core,events.k8s.io/events create,patch,update
ClusterRole/system:controller:validatingadmissionpolicy-status-controller
  admissionregistration.k8s.io/validatingadmissionpolicies get,list,watch
  admissionregistration.k8s.io/validatingadmissionpolicies/status get,patch,update
  core,events.k8s.io/events create,patch,update
ClusterRole/system:controller:volumeattributesclass-protection-controller
  core/persistentvolumeclaims get,list,watch
  core/persistentvolumes get,list,watch
  storage.k8s.io/volumeattributesclasses get,list,update,watch
  core,events.k8s.io/events create,patch,update
ClusterRole/system:discovery
  url /api,/api/*,/apis,/apis/*,/healthz,/livez,/openapi,/openapi/*,/readyz,/version,/version/ get
ClusterRole/system:heapster
  core/events,namespaces,nodes,pods get,list,watch
  extensions/deployments get,list,watch
ClusterRole/system:kube-aggregator
  core/endpoints,services get,list,watch
ClusterRole/system:kube-controller-manager
  core,events.k8s.io/events create,patch,update
  coordination.k8s.io/leases create
  coordination.k8s.io/leases get,update kube-controller-manager
  core/secrets,serviceaccounts create
  core/secrets delete
  core/configmaps,namespaces,secrets,serviceaccounts get
  core/secrets,serviceaccounts update
  authentication.k8s.io/tokenreviews create
  authorization.k8s.io/subjectaccessreviews create
  */* list,watch
  core/serviceaccounts/token create
ClusterRole/system:kube-dns
  core/endpoints,services list,watch
ClusterRole/system:kube-scheduler
  core,events.k8s.io/events create,patch,update
  coordination.k8s.io/leases create
  coordination.k8s.io/leases get,list,update,watch kube-scheduler
  coordination.k8s.io/leasecandidates create,delete,deletecollection,get,list,patch,update,watch
  core/nodes get,list,watch
  core/pods delete,get,list,watch
  core/bindings,pods/binding create
  core/pods/status patch,update
  core/replicationcontrollers,services get,list,watch
  apps,extensions/replicasets get,list,watch
  apps/statefulsets get,list,watch
  policy/poddisruptionbudgets get,list,watch
  core/persistentvolumeclaims,persistentvolumes get,list,watch
  authentication.k8s.io/tokenreviews create
  authorization.k8s.io/subjectaccessreviews create
  storage.k8s.io/csinodes get,list,watch
  storage.k8s.io/volumeattachments get,list,watch
  core/namespaces get,list,watch
  storage.k8s.io/csidrivers get,list,watch
  storage.k8s.io/csistoragecapacities get,list,watch
  resource.k8s.io/deviceclasses get,list,watch
  resource.k8s.io/resourceclaims get,list,patch,update,watch
  resource.k8s.io/resourceclaims/status get,list,patch,update,watch
  core/pods/finalizers update
  resource.k8s.io/resourceslices get,list,watch
  resource.k8s.io/resourceclaims create,delete
  resource.k8s.io/resourceclaims/binding patch,update
ClusterRole/system:kubelet-api-admin
  core/nodes get,list,watch
  core/nodes proxy
  core/nodes/log,nodes/metrics,nodes/proxy,nodes/stats *
  core/nodes/configz,nodes/healthz,nodes/pods *
ClusterRole/system:monitoring
  url /flagz,/healthz,/healthz/*,/livez,/livez/*,/metrics,/metrics/slis,/readyz,/readyz/*,/statusz get
  core/nodes/metrics get
ClusterRole/system:node
  authentication.k8s.io/tokenreviews create
  authorization.k8s.io/localsubjectaccessreviews,subjectaccessreviews create
  core/services get,list,watch
  core/nodes create,get,list,watch
  core/nodes/status patch,update
  core/nodes patch,update
  core,events.k8s.io/events create,patch,update
  core/pods get,list,watch
  core/pods create,delete
  core/pods/status patch,update
  core/pods/eviction create
  core/configmaps,secrets get,list,watch
  core/persistentvolumeclaims,persistentvolumes get
  core/endpoints get
  certificates.k8s.io/certificatesigningrequests create,get,list,watch
  coordination.k8s.io/leases create,delete,get,patch,update
  storage.k8s.io/volumeattachments get
  core/serviceaccounts/token create
  core/persistentvolumeclaims/status get,patch,update
  storage.k8s.io/csidrivers get,list,watch
  storage.k8s.io/csinodes create,delete,get,patch,update
  node.k8s.io/runtimeclasses get,list,watch
  resource.k8s.io/resourceclaims get
  resource.k8s.io/resourceslices deletecollection
  core/serviceaccounts get
ClusterRole/system:node-bootstrapper
  certificates.k8s.io/certificatesigningrequests create,get,list,watch
ClusterRole/system:node-problem-detector
  core/nodes get
  core/nodes/status patch
  core,events.k8s.io/events create,patch,update
ClusterRole/system:node-proxier
  core/endpoints,services list,watch
  core/nodes get,list,watch
  core,events.k8s.io/events create,patch,update
  networking.k8s.io/servicecidrs list,watch
  discovery.k8s.io/endpointslices list,watch
ClusterRole/system:persistent-volume-provisioner
  core/persistentvolumes create,delete,get,list,watch
  core/persistentvolumeclaims get,list,update,watch
  storage.k8s.io/storageclasses get,list,watch
  core/events watch
  core,events.k8s.io/events create,patch,update
ClusterRole/system:public-info-viewer
  url /healthz,/livez,/readyz,/version,/version/ get
ClusterRole/system:service-account-issuer-discovery
  url /.well-known/openid-configuration,/.well-known/openid-configuration/,/openid/v1/jwks,/openid/v1/jwks/ get
ClusterRole/system:volume-scheduler
  core/persistentvolumes get,list,patch,update,watch
  storage.k8s.io/storageclasses get,list,watch
  core/persistentvolumeclaims get,list,patch,update,watch
ClusterRole/view
ClusterRoleBinding/cluster-admin ClusterRole/cluster-admin Group/system:masters
ClusterRoleBinding/system:basic-user ClusterRole/system:basic-user Group/system:authenticated
ClusterRoleBinding/system:controller:attachdetach-controller ClusterRole/system:controller:attachdetach-controller ServiceAccount/kube-system/attachdetach-controller
ClusterRoleBinding/system:controller:certificate-controller ClusterRole/system:controller:certificate-controller ServiceAccount/kube-system/certificate-controller
ClusterRoleBinding/system:controller:clusterrole-aggregation-controller ClusterRole/system:controller:clusterrole-aggregation-controller ServiceAccount/kube-system/clusterrole-aggregation-controller
ClusterRoleBinding/system:controller:cronjob-controller ClusterRole/system:controller:cronjob-controller ServiceAccount/kube-system/cronjob-controller
ClusterRoleBinding/system:controller:daemon-set-controller ClusterRole/system:controller:daemon-set-controller ServiceAccount/kube-system/daemon-set-controller
ClusterRoleBinding/system:controller:deployment-controller ClusterRole/system:controller:deployment-controller ServiceAccount/kube-system/deployment-controller
ClusterRoleBinding/system:controller:device-taint-eviction-controller ClusterRole/system:controller:device-taint-eviction-controller ServiceAccount/kube-system/device-taint-eviction-controller
ClusterRoleBinding/system:controller:disruption-controller ClusterRole/system:controller:disruption-controller ServiceAccount/kube-system/disruption-controller
ClusterRoleBinding/system:controller:endpoint-controller ClusterRole/system:controller:endpoint-controller ServiceAccount/kube-system/endpoint-controller
ClusterRoleBinding/system:controller:endpointslice-controller ClusterRole/system:controller:endpointslice-controller ServiceAccount/kube-system/endpointslice-controller
ClusterRoleBinding/system:controller:endpointslicemirroring-controller ClusterRole/system:controller:endpointslicemirroring-controller ServiceAccount/kube-system/endpointslicemirroring-controller
ClusterRoleBinding/system:controller:ephemeral-volume-controller ClusterRole/system:controller:ephemeral-volume-controller ServiceAccount/kube-system/ephemeral-volume-controller
ClusterRoleBinding/system:controller:expand-controller ClusterRole/system:controller:expand-controller ServiceAccount/kube-system/expand-controller
ClusterRoleBinding/system:controller:generic-garbage-collector ClusterRole/system:controller:generic-garbage-collector ServiceAccount/kube-system/generic-garbage-collector
ClusterRoleBinding/system:controller:horizontal-pod-autoscaler ClusterRole/system:controller:horizontal-pod-autoscaler ServiceAccount/kube-system/horizontal-pod-autoscaler
ClusterRoleBinding/system:controller:job-controller ClusterRole/system:controller:job-controller ServiceAccount/kube-system/job-controller
ClusterRoleBinding/system:controller:legacy-service-account-token-cleaner ClusterRole/system:controller:legacy-service-account-token-cleaner ServiceAccount/kube-system/legacy-service-account-token-cleaner
ClusterRoleBinding/system:controller:namespace-controller ClusterRole/system:controller:namespace-controller ServiceAccount/kube-system/namespace-controller
ClusterRoleBinding/system:controller:node-controller ClusterRole/system:controller:node-controller ServiceAccount/kube-system/node-controller
ClusterRoleBinding/system:controller:persistent-volume-binder ClusterRole/system:controller:persistent-volume-binder ServiceAccount/kube-system/persistent-volume-binder
ClusterRoleBinding/system:controller:pod-garbage-collector ClusterRole/system:controller:pod-garbage-collector ServiceAccount/kube-system/pod-garbage-collector
ClusterRoleBinding/system:controller:pv-protection-controller ClusterRole/system:controller:pv-protection-controller ServiceAccount/kube-system/pv-protection-controller
ClusterRoleBinding/system:controller:pvc-protection-controller ClusterRole/system:controller:pvc-protection-controller ServiceAccount/kube-system/pvc-protection-controller
ClusterRoleBinding/system:controller:replicaset-controller ClusterRole/system:controller:replicaset-controller ServiceAccount/kube-system/replicaset-controller
ClusterRoleBinding/system:controller:replication-controller ClusterRole/system:controller:replication-controller ServiceAccount/kube-system/replication-controller
ClusterRoleBinding/system:controller:resource-claim-controller ClusterRole/system:controller:resource-claim-controller ServiceAccount/kube-system/resource-claim-controller
ClusterRoleBinding/system:controller:resourcequota-controller ClusterRole/system:controller:resourcequota-controller ServiceAccount/kube-system/resourcequota-controller
ClusterRoleBinding/system:controller:root-ca-cert-publisher ClusterRole/system:controller:root-ca-cert-publisher ServiceAccount/kube-system/root-ca-cert-publisher
ClusterRoleBinding/system:controller:route-controller ClusterRole/system:controller:route-controller ServiceAccount/kube-system/route-controller
ClusterRoleBinding/system:controller:selinux-warning-controller ClusterRole/system:controller:selinux-warning-controller ServiceAccount/kube-system/selinux-warning-controller
ClusterRoleBinding/system:controller:service-account-controller ClusterRole/system:controller:service-account-controller ServiceAccount/kube-system/service-account-controller
ClusterRoleBinding/system:controller:service-cidrs-controller ClusterRole/system:controller:service-cidrs-controller ServiceAccount/kube-system/service-cidrs-controller
ClusterRoleBinding/system:controller:service-controller ClusterRole/system:controller:service-controller ServiceAccount/kube-system/service-controller
ClusterRoleBinding/system:controller:statefulset-controller ClusterRole/system:controller:statefulset-controller ServiceAccount/kube-system/statefulset-controller
ClusterRoleBinding/system:controller:ttl-after-finished-controller ClusterRole/system:controller:ttl-after-finished-controller ServiceAccount/kube-system/ttl-after-finished-controller
ClusterRoleBinding/system:controller:ttl-controller ClusterRole/system:controller:ttl-controller ServiceAccount/kube-system/ttl-controller
ClusterRoleBinding/system:controller:validatingadmissionpolicy-status-controller ClusterRole/system:controller:validatingadmissionpolicy-status-controller ServiceAccount/kube-system/validatingadmissionpolicy-status-controller
ClusterRoleBinding/system:controller:volumeattributesclass-protection-controller ClusterRole/system:controller:volumeattributesclass-protection-controller ServiceAccount/kube-system/volumeattributesclass-protection-controller
ClusterRoleBinding/system:discovery ClusterRole/system:discovery Group/system:authenticated
ClusterRoleBinding/system:kube-controller-manager ClusterRole/system:kube-controller-manager User/system:kube-controller-manager
ClusterRoleBinding/system:kube-dns ClusterRole/system:kube-dns ServiceAccount/kube-system/kube-dns
ClusterRoleBinding/system:kube-scheduler ClusterRole/system:kube-scheduler User/system:kube-scheduler
ClusterRoleBinding/system:monitoring ClusterRole/system:monitoring Group/system:monitoring
ClusterRoleBinding/system:node ClusterRole/system:node
ClusterRoleBinding/system:node-proxier ClusterRole/system:node-proxier User/system:kube-proxy
ClusterRoleBinding/system:public-info-viewer ClusterRole/system:public-info-viewer Group/system:authenticated Group/system:unauthenticated
ClusterRoleBinding/system:service-account-issuer-discovery ClusterRole/system:service-account-issuer-discovery Group/system:serviceaccounts
ClusterRoleBinding/system:volume-scheduler ClusterRole/system:volume-scheduler User/system:kube-scheduler
Role/kube-public/system:controller:bootstrap-signer
  core/configmaps get,list,watch
  core/configmaps update cluster-info
  core,events.k8s.io/events create,patch,update
Role/kube-system/extension-apiserver-authentication-reader
  core/configmaps get,list,watch extension-apiserver-authentication
Role/kube-system/system::leader-locking-kube-controller-manager
  coordination.k8s.io/leases create,get,list,update,watch
  coordination.k8s.io/leasecandidates create,get,list,update,watch
Role/kube-system/system::leader-locking-kube-scheduler
  coordination.k8s.io/leases create,get,list,update,watch
  coordination.k8s.io/leasecandidates create,get,list,update,watch
Role/kube-system/system:controller:bootstrap-signer
  core/secrets get,list,watch
Role/kube-system/system:controller:cloud-provider
  core/configmaps create,get,list,watch
Role/kube-system/system:controller:token-cleaner
  core/secrets delete,get,list,watch
  core,events.k8s.io/events create,patch,update
RoleBinding/kube-public/system:controller:bootstrap-signer Role/system:controller:bootstrap-signer ServiceAccount/kube-system/bootstrap-signer
RoleBinding/kube-system/system::extension-apiserver-authentication-reader Role/extension-apiserver-authentication-reader User/system:kube-controller-manager User/system:kube-scheduler
RoleBinding/kube-system/system::leader-locking-kube-controller-manager Role/system::leader-locking-kube-controller-manager User/system:kube-controller-manager ServiceAccount/kube-system/kube-controller-manager ServiceAccount/kube-system/leader-election-controller
RoleBinding/kube-system/system::leader-locking-kube-scheduler Role/system::leader-locking-kube-scheduler User/system:kube-scheduler ServiceAccount/kube-system/kube-scheduler
RoleBinding/kube-system/system:controller:bootstrap-signer Role/system:controller:bootstrap-signer ServiceAccount/kube-system/bootstrap-signer
RoleBinding/kube-system/system:controller:cloud-provider Role/system:controller:cloud-provider ServiceAccount/kube-system/cloud-provider
RoleBinding/kube-system/system:controller:token-cleaner Role/system:controller:token-cleaner ServiceAccount/kube-system/token-cleaner
`;
