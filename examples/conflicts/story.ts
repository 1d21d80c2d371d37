import type { Story } from '../stage.js';

const story: Story = {
  title: 'Conflicts: somebody scales a Deployment by hand. Three policies, three answers.',
  namespace: 'conflicts',
  async steps(stage) {
    const api = stage.ref('apps/v1', 'Deployment', 'api');
    const replicas = async () => (await stage.cluster.get(api)).spec.replicas;
    const scale = (count: number) =>
      stage.someone(`an operator scales the Deployment to ${count}, as kubectl scale does`, () =>
        stage.cluster.patch('kubectl', api, { spec: { replicas: count } }, 'merge', 'scale'),
      );

    stage.step('The program declares two replicas.');
    await stage.run('deploy');
    await scale(5);
    await stage.owners(api);

    stage.step('Policy fail: report and stop.');
    await stage.run('deploy -c conflicts=fail', { exitCode: 5 });
    stage.promise('nothing has changed', await replicas(), 5);

    stage.step('Policy yield: leave the field to its owner.');
    await stage.run('deploy -c conflicts=yield');
    stage.promise('the operator’s five replicas stay', await replicas(), 5);

    stage.step('Policy force, the default: take the field, and say from whom and what it was.');
    await stage.run('deploy');
    stage.promise('two replicas again', await replicas(), 2);
    await stage.run('destroy --yes', { quiet: true });
  },
};

export default story;
