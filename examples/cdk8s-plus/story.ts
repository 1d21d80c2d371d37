import type { Story } from '../stage.js';

const story: Story = {
  title: 'A cdk8s-plus program with one changed import: its chart is a stack, its objects are owned.',
  namespace: 'cdk8s-plus',
  async steps(stage) {
    const deployment = stage.ref('apps/v1', 'Deployment', 'web');
    const ingress = stage.ref('networking.k8s.io/v1', 'Ingress', 'web');

    stage.step('The program makes its objects with cdk8s-plus, as it always did.');
    await stage.run('diff');
    await stage.run('deploy');
    stage.promise('the Deployment has two replicas', (await stage.cluster.get(deployment)).spec.replicas, 2);
    stage.promise('the Ingress leads to the Service', backendOf(await stage.cluster.get(ingress)), 'web');

    stage.step('Somebody else adds an annotation; a deploy leaves it alone.');
    await stage.someone('an operator annotates the Deployment', () =>
      stage.cluster.patch('operator', deployment, { metadata: { annotations: { 'example.com/note': 'kept' } } }),
    );
    await stage.run('deploy');
    await stage.owners(deployment);
    stage.promise('the annotation stays', (await stage.cluster.get(deployment)).metadata.annotations['example.com/note'], 'kept');

    stage.step('Destroy takes what it made.');
    await stage.run('destroy --yes');
    stage.promise('the Ingress is gone', await stage.cluster.find(ingress), undefined);
  },
};

function backendOf({ spec }: Awaited<ReturnType<Parameters<Story['steps']>[0]['cluster']['get']>>): string {
  return spec.rules[0].http.paths[0].backend.service.name;
}

export default story;
