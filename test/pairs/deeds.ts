import type { ApiCallError, ResponseBody } from '../harness/api-client.js';
import { poll } from '../harness/poll.js';
import { definitionOf } from './definition.js';
import { withStack } from './program.js';
import type { Deed } from './rules.js';
import { type Scene, theirFields } from './scene.js';

/** Does the deeds: to the program, to the cluster, or by a command. Their effects stand in the table, and nowhere here. */
export const deeds: Readonly<Record<Deed, (scene: Scene) => Promise<unknown> | unknown>> = {
  'rename app': (scene) => {
    const { name } = scene.program.app;
    scene.program = { ...scene.program, app: { name: `${name}-new`, renamedFrom: name } };
  },
  'rename stack': (scene) => {
    scene.program = withStack(scene.program, 'web', (stack) => ({ ...stack, name: 'renamed', renamedFrom: 'web' }));
  },
  'move own→own': (scene) => move(scene, 'own'),
  'move own→share': (scene) => move(scene, 'share'),
  'move share→own': (scene) => {
    scene.declare('web', { s: '1' });
    scene.declare('side', { s: undefined });
  },
  'move of fields': (scene) => {
    scene.declare('web', { m: undefined, p: undefined });
    scene.declare('side', { m: '1', p: '2' });
  },
  transferFrom: (scene) => {
    const from = scene.holder('web').name;
    scene.declare('web', { t: undefined });
    scene.declare('side', { t: '1' }, { transferFrom: { from, fields: ['spec.t'] } });
  },
  'adopt before': async (scene) => {
    const from = scene.holder('web').name;
    scene.declare('web', { h: undefined });
    scene.declare('side', { h: '1' });
    return scene.must('adopt', 'side', '.spec.h', '--from', `stack:${from}`, '--yes');
  },
  'value changed': (scene) => scene.declare('web', { u: '2', v: '2' }),
  'field dropped': (scene) => scene.declare('web', { d: undefined, k: undefined }),
  'list type changed': (scene) => redefine(scene, definitionOf(scene.start.group, 'set')),
  'CRD version added': (scene) => {
    const definition = definitionOf(scene.start.group);
    const [version] = definition.spec.versions;
    const versions = [version, { ...version, name: 'v2', storage: false }];
    return redefine(scene, { ...definition, spec: { ...definition.spec, versions } });
  },
  'made again by others': async (scene) => {
    await remove(scene);
    await scene.cluster.apply('them', { ...scene.object, spec: theirFields });
  },
  'deleted by others': (scene) => remove(scene),
  adopt: (scene) => scene.must('adopt', '--yes', '--from', 'kubectl-client-side-apply', ...scene.flags.all),
  replace: (scene) => scene.declare('web', { r: '2' }, { replace: true }),
  'strategy moved': (scene) => scene.declare('web', {}, { strategy: 'dynamic' }),
  'prune of a stack': (scene) => {
    scene.program = { ...scene.program, stacks: scene.program.stacks.filter(({ part }) => part !== 'gone') };
    scene.flags.deploy.push('--prune-stacks');
  },
  '-f documents': (scene) => {
    scene.flags.all.push('-f', 'web.json', '--name', scene.program.app.name, '--stack', scene.holder('web').name);
  },
  'saved plan': async (scene) => {
    await scene.must(...scene.command('plan'), '--output-file', 'plan=plan.json');
    scene.flags.deploy.push('--plan', 'plan.json');
  },
  rollback: (scene) => scene.must('rollback', '1', scene.holder('web').name, '--yes'),
};

function move(scene: Scene, as: 'own' | 'share'): void {
  const declared = scene.holder('web').declared;
  const { part } = scene.holder('web');
  scene.program = withStack(scene.program, part, ({ declared: _, ...stack }) => stack);
  scene.program = withStack(scene.program, 'next', (stack) => ({ ...stack, ...(declared && { declared: { ...declared, as } }) }));
}

async function remove({ cluster, object }: Scene): Promise<void> {
  await cluster.remove(object);
  await poll('the object is gone', async () => (await cluster.find(object)) === undefined);
}

/** Changes the definition, and waits until the server has the new one in its schema. */
async function redefine({ cluster, object, namespace }: Scene, definition: ResponseBody): Promise<void> {
  const { uid: _, ...rest } = (await cluster.get(definition)).metadata;
  await cluster.apply('somebody', { ...definition, metadata: { name: rest.name } } as never, { force: true });
  const { versions } = definition.spec;
  const version = versions.at(-1).name;
  await poll('the definition is served', () => cluster.serves(`${definition.spec.group}/${version}`, 'Widget'));
  const probe = { ...object, apiVersion: `${definition.spec.group}/${version}`, metadata: { name: 'probe', namespace } };
  const isSet = versions[0].schema.openAPIV3Schema.properties.spec.properties.l['x-kubernetes-list-type'] === 'set';
  await poll('the schema is the new one', async () => {
    const made = await cluster.apply('somebody', { ...probe, spec: { l: ['1'] } }).catch((error: ApiCallError) => {
      if (error.status !== 404) throw error;
    });
    if (!made) return false; // Discovery names a version a moment before the server serves it.
    await cluster.remove(probe);
    return JSON.stringify(made.metadata.managedFields).includes('v:') === isSet;
  });
}
