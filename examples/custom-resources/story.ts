import type { Story } from '../stage.js';

const story: Story = {
  title: 'Kinds of seven projects, with builders and with literals.',
  namespace: 'custom-resources',
  async steps(stage) {
    const rollout = stage.ref('argoproj.io/v1alpha1', 'Rollout', 'shop');
    const steps = async () => (await stage.cluster.get(rollout)).spec.strategy.canary.steps;
    await stage.installCrd('crd.yaml');

    stage.step('The objects that the builders declare.');
    await stage.run('synth -p');

    stage.step('The shop is deployed. The platform needs the operators of six projects, so it is only synthesized here.');
    await stage.run('deploy shop');
    stage.promise('one call in ten comes first', await steps(), [
      { setWeight: 10 },
      { pause: { duration: '10m' } },
      { setWeight: 50 },
      { pause: {} },
    ]);

    stage.step('The literals declare the same, so nothing changes.');
    const version = async () => (await stage.cluster.get(rollout)).metadata.resourceVersion;
    const before = await version();
    await stage.run('deploy shop -c form=literals');
    stage.promise('the Rollout is unchanged', await version(), before);

    await stage.run('destroy shop --yes', { quiet: true });
  },
};

export default story;
