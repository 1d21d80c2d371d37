import { config, type Declared, many, own, type Program, share, synthesized } from '../faults/programs.js';
import { type ObjectRef, ref, type TestCluster } from '../harness/cluster.js';
import type { RunOrder } from './run.js';

/** What the run does that meets a fault. */
export const kinds = ['deploy', 'prune', 'destroy', 'rollback', 'handoff', 'adopt', 'rename'] as const;

export type Kind = (typeof kinds)[number];

/** The programs of one kind of run: directories of their assemblies. */
export interface Programs {
  /** Deployed before, in this order. */
  readonly before: readonly string[];
  /** Of the run that meets a fault. */
  readonly first: { readonly verb: RunOrder['verb']; readonly assembly: string };
  /** Of the second, newer one. */
  readonly second: string;
  /** The data that the second program declares, by name of the ConfigMap. */
  readonly declared: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

/** Objects of which another manager takes the field `contested`. */
export const contested = ['kept-0', 'kept-1', 'kept-2'];

/** The value that the other manager gives it. */
export const theirs = 'theirs';

const kept = (data: (index: number) => Record<string, string>) => many(6, (index) => own(config(`kept-${index}`, data(index))));
const goes = (value: string) => many(3, (index) => own(config(`goes-${index}`, { value })));
const shared = (value: string) => [share(config('shared', { value }))];
const keptAll = (value: string) => kept((index) => ({ value, ...(index < contested.length ? { contested: value } : {}) }));
const whole = (value: string): Declared[] => [...keptAll(value), ...goes(value), ...shared(value)];

export async function programsOf(kind: Kind): Promise<Programs> {
  const { first, second, more = [] } = definitions[kind];
  const directory = async (program: Program) =>
    (await synthesized(`pauses-${kind}`, program, 'fresh' in program ? { fresh: 'web' } : {})).directory;
  const declared = new Map<string, Record<string, string>>();
  for (const { object } of Object.values(second).flat()) {
    const { metadata, data } = object as unknown as { metadata: { name: string }; data: Record<string, string> };
    declared.set(metadata.name, { ...declared.get(metadata.name), ...data });
  }
  return {
    before: await Promise.all([{ web: whole('old') }, ...more].map(directory)),
    first: { verb: verbOf(kind), assembly: await directory(first) },
    second: await directory(second),
    declared,
  };
}

function verbOf(kind: Kind): RunOrder['verb'] {
  return kind === 'prune' || kind === 'rename' ? 'deploy' : kind;
}

const newer = { web: whole('newer') };
const definitions: Record<Kind, { readonly first: Program; readonly second: Program; readonly more?: readonly Program[] }> = {
  deploy: { first: { web: whole('first') }, second: newer },
  prune: { first: { web: [...keptAll('first'), ...shared('first')] }, second: newer },
  destroy: { first: { web: whole('old') }, second: newer },
  rollback: {
    more: [{ web: [...whole('wrong'), own(config('comes', { value: 'wrong' }))] }],
    first: { web: whole('wrong') },
    second: newer,
  },
  handoff: {
    first: { web: whole('old'), next: many(6, (index) => share(config(`kept-${index}`, { value: 'old' }))) },
    second: {
      web: [...kept(() => ({ contested: 'newer' })), ...goes('newer'), ...shared('newer')],
      next: many(6, (index) => share(config(`kept-${index}`, { value: 'newer' }))),
    },
  },
  adopt: { first: { web: whole('old') }, second: newer },
  rename: { first: { fresh: whole('first') }, second: { fresh: whole('newer') } },
};

/** What others have in a namespace before the first deploy. */
export async function furnish(cluster: TestCluster, namespace: string, kind: Kind): Promise<void> {
  await cluster.create('somebody', ref('v1', 'Namespace', namespace));
  await cluster.apply('platform', { ...ref('v1', 'ConfigMap', 'shared', namespace), data: { theirs } });
  if (kind !== 'adopt') return;
  await Promise.all(
    many(6, (index) => own(config(`kept-${index}`, { value: 'old' }))).map(({ object }) => {
      const { metadata, data } = object as unknown as ObjectRef;
      return cluster.create('kubectl-client-side-apply', { ...ref('v1', 'ConfigMap', metadata.name, namespace), data });
    }),
  );
}

/** Another manager takes the field that our program declares, too. */
export function contest(cluster: TestCluster, namespace: string, name: string, value: string): Promise<unknown> {
  return cluster.apply('other', { ...ref('v1', 'ConfigMap', name, namespace), data: { contested: value } }, { force: true });
}
