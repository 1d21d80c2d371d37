import type { Story } from '../stage.js';

const story: Story = {
  title: 'Review apps: many pull requests share one gateway, each from a program of its own.',
  namespace: 'edge',
  async steps(stage) {
    const gateway = stage.ref('edge.example.com/v1', 'SharedGateway', 'public');
    const services = async () => {
      const { spec } = await stage.cluster.get(gateway);
      const https = spec.listeners.find(({ port }: { port: number }) => port === 443);
      return (https.services ?? []).map(({ name, weight }: { name: string; weight: number }) => `${name}: ${weight}`).sort();
    };

    stage.step('Typed builders from the CRD.');
    await stage.installCrd('crd.yaml');
    await stage.run('import crd.yaml --outdir imports');

    stage.step('The platform team deploys the gateway. Its program knows of no review.');
    await stage.run('deploy', { in: 'gateway' });

    stage.step('Two pull requests deploy. Each program declares its own entry and nothing else.');
    await stage.run('deploy -c review=42', { in: 'review' });
    await stage.run('deploy -c review=43', { in: 'review' });
    await stage.owners(gateway);
    stage.promise('both entries are there', await services(), ['review-42: 100', 'review-43: 100']);

    stage.step('Review 42 changes its weight, and the platform team deploys again.');
    await stage.run('deploy -c review=42 -c weight=50', { in: 'review' });
    await stage.run('deploy', { in: 'gateway' });
    stage.promise('only the entry of review 42 has changed', await services(), ['review-42: 50', 'review-43: 100']);

    stage.step('Pull request 42 is merged: its stack goes, and with it its fields. Nobody else notices.');
    await stage.run('destroy -c review=42 --yes', { in: 'review' });
    stage.promise('the entry of review 43 is untouched', await services(), ['review-43: 100']);

    stage.step('The last review goes.');
    await stage.run('destroy -c review=43 --yes', { in: 'review' });
    await stage.owners(gateway);
    stage.promise('the gateway is as its own stack declares it', (await stage.cluster.get(gateway)).spec, {
      class: 'nginx',
      listeners: [
        { port: 80, protocol: 'HTTP' },
        { port: 443, protocol: 'HTTPS' },
      ],
    });

    stage.step('The platform team takes the gateway down. It is deleted, because its stack owns it.');
    await stage.run('destroy --yes', { in: 'gateway' });
    stage.promise('the gateway is gone', await stage.cluster.find(gateway), undefined);
  },
};

export default story;
