import { deployment, deploymentSpec } from 'fieldwise/k8s/apps/v1';
import { container, podSpec } from 'fieldwise/k8s/core/v1';
import { expect, it } from 'vitest';
import { Stack } from '../../../src/entry/index.js';
import { synthesized } from './fixtures/synthesized.js';

const web = (env: readonly { name: string; value: string }[]) => ({
  ofBuilder: container('web')
    .withImage('web:1')
    .withEnv(...env),
  ofLiteral: { name: 'web', image: 'web:1', env: [...env] },
});

it.each([
  ['a spread of no items declares nothing and warns of nothing', 'ofBuilder', []],
  ['a written empty list is left out with a warning', 'ofLiteral', ['empty-list-dropped']],
] as const)('%s', (_, form, warnings) => {
  const { objects, manifest } = synthesized((app) => {
    const template = { metadata: { labels: { app: 'web' } }, spec: podSpec().withContainers(web([])[form] as never) };
    const spec = deploymentSpec()
      .withSelector({ matchLabels: { app: 'web' } })
      .withTemplate(template);
    new Stack(app, 'web').own(deployment('web', 'edge').withSpec(spec) as never);
  });
  expect(JSON.stringify(objects('web'))).toContain('"containers":[{"name":"web","image":"web:1"}]');
  expect(manifest.warnings.map(({ code }) => code)).toEqual(warnings);
});
