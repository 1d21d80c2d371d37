import type { Story } from '../stage.js';

const story: Story = {
  title: 'A race: somebody writes between the two passes of a deploy.',
  namespace: 'race',
  async steps(stage) {
    const limits = stage.ref('v1', 'ConfigMap', 'limits');
    const data = async () => (await stage.cluster.get(limits)).data;
    const change = (who: string, what: object) => stage.cluster.patch(who, limits, { data: what }, 'merge');

    stage.step('The program declares burst and rate.');
    await stage.run('deploy');
    await stage.someone('an operator raises burst to 50', () => change('operator', { burst: '50' }));

    stage.step('A deploy would force burst. Just before its forced pass, a tuner lowers rate, which must not be forced.');
    let raced = false;
    await stage.run('deploy', {
      exitCode: 5,
      before: async ({ method, query }) => {
        if (raced || method !== 'PATCH' || query.get('force') !== 'true') return;
        raced = true;
        await change('tuner', { rate: '5' });
      },
    });
    stage.promise('the tuner was in time', raced, true);
    stage.promise('nothing was forced, from either of them', await data(), { burst: '50', rate: '5' });
    await stage.owners(limits);

    stage.step('The tuner gives rate back. Now the deploy takes burst, and says so.');
    await stage.someone('the tuner restores rate', () => change('tuner', { rate: '10' }));
    await stage.run('deploy');
    stage.promise('both are as declared', await data(), { burst: '20', rate: '10' });
    await stage.run('destroy --yes', { quiet: true });
  },
};

export default story;
