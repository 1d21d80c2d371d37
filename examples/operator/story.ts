import { connect } from 'fieldwise/controller';
import type { Story } from '../stage.js';
import { runShopOperator } from './operator.js';

const story: Story = {
  title: 'An operator: its own kind, watches, status with conditions, and a finalizer.',
  namespace: 'operator',
  async steps(stage) {
    const { namespace, kubeconfig } = stage;
    const shop = stage.ref('shop.example.com/v1', 'Shop', 'books');
    const deployment = stage.ref('apps/v1', 'Deployment', 'books');
    const directory = stage.ref('v1', 'ConfigMap', 'shop-directory');

    stage.step('Typed builders from the CRD; the operator is written with them.');
    await stage.installCrd('crd.yaml');
    await stage.run('import crd.yaml --outdir imports');

    const end = new AbortController();
    const cluster = await connect({ kubeconfig });
    const running = runShopOperator(cluster, namespace, end.signal, (line) => stage.say(line));
    try {
      stage.step('A shop opens. The operator makes what it needs.');
      await stage.someone('a team applies a Shop', () =>
        stage.cluster.apply('team', { ...shop, spec: { image: 'registry.example.com/books:1', replicas: 2 } }),
      );
      const conditions = async () => {
        const { status } = await stage.cluster.get(shop);
        return (status?.conditions ?? []).map(({ type, status, reason }: Record<string, string>) => `${type}=${status} ${reason}`).sort();
      };
      await stage.promiseSoon('it is on its way', conditions, ['Ready=False Starting', 'Reconciling=True Starting']);
      stage.promise('it is in the directory', (await stage.cluster.get(directory)).data, { books: `books.${namespace}.svc` });
      await stage.owners(deployment);

      stage.step('Its pods come up, and others write what is theirs.');
      await stage.someone('the deployment controller reports two available replicas', () =>
        stage.cluster.patch(
          'kube-controller-manager',
          deployment,
          { status: { replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 } },
          'merge',
          'status',
        ),
      );
      await stage.someone('a policy engine annotates the Deployment, another team adds itself to the directory', async () => {
        await stage.cluster.patch('policy', deployment, { metadata: { annotations: { 'policy.example.com/seen': 'yes' } } });
        await stage.cluster.patch('others', directory, { data: { flowers: 'flowers.example.com' } });
      });
      await stage.promiseSoon('it is ready', conditions, ['Ready=True Serving']);

      stage.step('The team changes the image. Fields of others stay as they are.');
      await stage.cluster.patch('team', shop, { spec: { image: 'registry.example.com/books:2' } });
      const image = async () => (await stage.cluster.get(deployment)).spec.template.spec.containers[0].image;
      await stage.promiseSoon('the Deployment has the new image', image, 'registry.example.com/books:2');
      const { annotations } = (await stage.cluster.get(deployment)).metadata;
      stage.promise('the annotation of the policy engine is there', annotations['policy.example.com/seen'], 'yes');

      stage.step('The shop closes. The finalizer holds it until it is out of the directory.');
      await stage.someone('the team deletes the Shop', () => stage.cluster.remove(shop));
      await stage.promiseSoon('the Shop is gone', () => stage.cluster.find(shop), undefined);
      stage.promise('the directory holds the entry of others only', (await stage.cluster.get(directory)).data, {
        flowers: 'flowers.example.com',
      });
    } finally {
      end.abort();
      await running;
      cluster.close();
    }
  },
};

export default story;
