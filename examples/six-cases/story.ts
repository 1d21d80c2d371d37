import type { Story } from '../stage.js';

const story: Story = {
  title: 'Six cases: what is live, what is declared, and who owns it.',
  namespace: 'six-cases',
  async steps(stage) {
    const settings = stage.ref('v1', 'ConfigMap', 'settings');
    const routed = stage.ref('v1', 'Service', 'routed');

    stage.step('The first version of the program is deployed.');
    await stage.run('deploy -c version=1');
    await stage.someone('another tool adds data, a label and an annotation of its own, and the Service’s selector', async () => {
      await stage.cluster.apply('other-tool', {
        ...settings,
        metadata: { ...settings.metadata, labels: { team: 'other' }, annotations: { 'example.com/checked': 'yes' } },
        data: { theirs: 'x', contested: 'x' },
      });
      await stage.cluster.apply('other-tool', { ...routed, spec: { selector: { version: 'x' } } });
    });
    await stage.owners(settings);

    stage.step('The second version of the program is deployed.');
    await stage.run('deploy -c version=2');
    await stage.owners(settings);
    const { data, metadata } = await stage.cluster.get(settings);
    const key = (name: string) => data[name];
    stage.promise('live x, declared x, ours: stays', key('same'), 'x');
    stage.promise('live x, declared y, ours: changed', key('changed'), 'y');
    stage.promise('live x, no longer declared, ours: removed', key('dropped'), undefined);
    stage.promise('live x, not declared, theirs: untouched', key('theirs'), 'x');
    stage.promise('not there, declared y: set', key('added'), 'y');
    stage.promise('live x, declared y, theirs: forced and reported', key('contested'), 'y');
    stage.promise('not there, declared y, their whole: forced and reported', (await stage.cluster.get(routed)).spec.selector, {
      app: 'y',
    });
    stage.promise(
      'their label and annotation survive',
      [metadata.labels.team, metadata.annotations['example.com/checked']],
      ['other', 'yes'],
    );

    stage.step('The same program again: nothing to do, and the server agrees.');
    const before = await stage.cluster.resourceVersion(settings);
    await stage.run('deploy -c version=2');
    stage.promise('the resourceVersion is the same', await stage.cluster.resourceVersion(settings), before);
    await stage.run('destroy -c version=2 --yes', { quiet: true });
  },
};

export default story;
