import type { Story } from '../stage.js';

const story: Story = {
  title: 'An operator’s rights: ServiceAccount, roles and bindings from typed builders.',
  namespace: 'rbac-operator',
  async steps(stage) {
    const name = 'backup-operator';
    const group = 'rbac.authorization.k8s.io/v1';
    const everywhere = { apiVersion: group, kind: 'ClusterRole', metadata: { name } };
    const resources = async () => (await stage.cluster.get(everywhere)).rules.flatMap((rule: { resources: string[] }) => rule.resources);

    stage.step('What would be made?');
    await stage.run('diff');

    stage.step('It is made: accounts and roles first, then the bindings that name them.');
    await stage.run('deploy');
    stage.promise('it may run commands in pods', await resources(), ['persistentvolumeclaims', 'pods/exec']);

    stage.step('A right is dropped. Rules are one atomic list, so the stack owns it as a whole.');
    await stage.run('deploy -c exec=no');
    stage.promise('the right is gone', await resources(), ['persistentvolumeclaims']);

    stage.step('The operator is removed, and every right with it.');
    await stage.run('destroy --yes');
    const left = await Promise.all(
      [
        everywhere,
        { apiVersion: group, kind: 'ClusterRoleBinding', metadata: { name } },
        stage.ref(group, 'Role', name),
        stage.ref(group, 'RoleBinding', name),
        stage.ref('v1', 'ServiceAccount', name),
      ].map((object) => stage.cluster.find(object)),
    );
    stage.promise('nothing is left', left, [undefined, undefined, undefined, undefined, undefined]);
  },
};

export default story;
