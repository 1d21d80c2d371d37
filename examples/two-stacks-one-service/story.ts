import type { Story } from '../stage.js';

const story: Story = {
  title: 'Two stacks, one Service: each has its port, neither loses the other’s.',
  namespace: 'one-service',
  async steps(stage) {
    const catalog = stage.ref('v1', 'Service', 'catalog');
    const shape = async () => {
      const { spec } = await stage.cluster.get(catalog);
      const ports = spec.ports.map(({ name, port }: { name?: string; port: number }) => `${name ?? '(unnamed)'} ${port}`);
      return [spec.type, spec.selector.app, ...ports];
    };

    stage.step('Stack web owns the Service with its selector and port 80; stack metrics shares port 1000.');
    await stage.run('deploy -c port=1000');
    await stage.owners(catalog);
    stage.promise('both ports are there', await shape(), ['ClusterIP', 'catalog', 'http 80', 'metrics 1000']);

    stage.step('Stack metrics moves to port 2000. The port is the list map key, so one entry goes and another comes.');
    await stage.run('deploy metrics -c port=2000');
    stage.promise('port 80 and the selector are still there', await shape(), ['ClusterIP', 'catalog', 'http 80', 'metrics 2000']);

    stage.step('It also wants another type, a field that nobody has declared so far.');
    await stage.run('deploy metrics -c port=2000 -c type=NodePort');
    stage.promise('the type is new, the rest as before', await shape(), ['NodePort', 'catalog', 'http 80', 'metrics 2000']);

    await stage.run('destroy -c port=2000 --yes', { quiet: true });

    stage.step('The same with port 80 unnamed: Kubernetes refuses two ports of which one has no name.');
    await stage.run('deploy -c port=1000 -c unnamed=true', { exitCode: 4 });
    stage.promise('the Service is as its owner declares it', await shape(), ['ClusterIP', 'catalog', '(unnamed) 80']);
    await stage.run('destroy -c port=1000 --yes', { quiet: true });
  },
};

export default story;
