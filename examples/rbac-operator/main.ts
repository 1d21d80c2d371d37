import { App, Stack } from 'fieldwise';
import { serviceAccount } from 'fieldwise/k8s/core/v1';
import { clusterRole, clusterRoleBinding, policyRule, role, roleBinding, roleRef, subject } from 'fieldwise/k8s/rbac/v1';

// The account of an operator, with its rights in its own namespace and in all namespaces.
const app = new App();
const namespace = app.defaultNamespace ?? 'default';
const name = app.node.tryGetContext('name') ?? 'backup-operator';
const rights = new Stack(app, 'rights');

const account = subject().withKind('ServiceAccount').withName(name).withNamespace(namespace);
const roleGroup = 'rbac.authorization.k8s.io';

rights.own(serviceAccount(name));

rights.own(
  clusterRole(name).withRules([
    policyRule().withApiGroups(['']).withResources(['persistentvolumeclaims']).withVerbs(['get', 'list', 'watch']),
    // `-c exec=no` drops the right to run commands in pods.
    ...(app.node.tryGetContext('exec') === 'no'
      ? []
      : [policyRule().withApiGroups(['']).withResources(['pods/exec']).withVerbs(['create'])]),
  ]),
);
rights.own(
  clusterRoleBinding(name).withRoleRef(roleRef().withApiGroup(roleGroup).withKind('ClusterRole').withName(name)).withSubjects([account]),
);

rights.own(
  role(name).withRules([
    policyRule().withApiGroups(['coordination.k8s.io']).withResources(['leases']).withVerbs(['get', 'create', 'update']),
  ]),
);
rights.own(roleBinding(name).withRoleRef(roleRef().withApiGroup(roleGroup).withKind('Role').withName(name)).withSubjects([account]));
