import type { Story } from '../stage.js';

const story: Story = {
  title: 'Removal: what a stack no longer declares is released, and nothing else.',
  namespace: 'removal',
  async steps(stage) {
    const nginx = stage.ref('apps/v1', 'Deployment', 'nginx');
    const annotations = async () => (await stage.cluster.get(nginx)).metadata.annotations;

    stage.step('Two stacks declare one Deployment: one owns it, the other shares an annotation.');
    await stage.run('deploy -c contact=web-team');
    await stage.owners(nginx);
    stage.promise('both annotations are there', await annotations(), { foo: 'bar', 'example.com/contact': 'web-team' });
    const before = await stage.cluster.get(nginx);

    stage.step('The second stack drops its annotation. What would happen?');
    await stage.run('diff extra');

    stage.step('It is done.');
    await stage.run('deploy --yes');
    stage.promise('only that annotation is gone', await annotations(), { foo: 'bar' });
    const after = await stage.cluster.get(nginx);
    stage.promise(
      'the Deployment is the same one, its specification untouched',
      [after.metadata.uid, after.spec],
      [before.metadata.uid, before.spec],
    );

    await stage.run('destroy --yes', { quiet: true });
    stage.promise('destroying both stacks deletes it', await stage.cluster.find(nginx), undefined);
  },
};

export default story;
