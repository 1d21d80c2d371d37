import type { Assembly } from '../../src/assembly/index.js';
import type { ResponseBody } from '../harness/api-client.js';
import { config, type Declared, own, type Program, share, synthesized } from './declared.js';
import type { RunSettings } from './run.js';

/** The app of all programs. */
export const app = 'sim';

/** The values of an object, by field path. */
export type Values = Readonly<Record<string, string>>;

/** A program that runs deploy, and what it declares. */
export interface Prepared {
  readonly assembly: Assembly;
  /** Where the assembly lies. */
  readonly directory: string;
  /** By `Kind name`. */
  readonly values: ReadonlyMap<string, Values>;
}

/** Returns the values of an object of a program, by field path: those of a ConfigMap, or of the images in the list of a Widget. */
export function valuesOf(object: ResponseBody): Values {
  if (object === undefined) return {};
  const { data = {}, spec = {} } = object;
  const images = (spec.items ?? []).map(({ name, image }: ResponseBody) => [`.spec.items[name="${name}"].image`, image]);
  return Object.fromEntries([...Object.entries(data).map(([key, value]) => [`.data.${key}`, value]), ...images]);
}

const c0 = (value: string) => own(config('c0', { value, contested: value }));
const c1 = (value: string) => own(config('c1', { value }));
const s0 = (value: string) => share(config('s0', { value }));
const c2 = own(config('c2', { value: 'new' }));
/** Of a kind without a schema, in whose lists only the client finds its own items. */
const w0 = (image: string) =>
  own(
    { apiVersion: `${widgets.group}/v1`, kind: 'Widget', metadata: { name: 'w0' }, spec: { items: [{ name: 'x', image }] } },
    { strategy: 'dynamic' },
  );
/** A share that takes the field from the stack that had it. */
const taken = (value: string): Declared => ({ ...share(config('c0', { value })), config: { transferFrom: { from: 'web' } } });
const whole = (value: string): Declared[] => [c0(value), c1(value), s0(value)];

/** The kind of w0. */
export const widgets = { group: 'sim.example.com', plural: 'widgets' };

/** The programs, by name; where a stack is called `fresh`, it is `web`, renamed. */
export const programs = {
  old: { web: whole('old') },
  first: { web: whole('first') },
  newer: { web: whole('newer') },
  /** Without an object. */
  less: { web: [c0('first'), s0('first')] },
  /** Without a field. */
  thinner: { web: [own(config('c0', { value: 'first' })), c1('first'), s0('first')] },
  more: { web: [...whole('first'), c2] },
  /** One object is of another stack. */
  moved: { web: [c0('old'), s0('old')], next: [c1('first')] },
  movedNewer: { web: [c0('newer'), s0('newer')], next: [c1('newer')] },
  /** A share has a field of the owner. */
  handedOff: { web: whole('old'), next: [share(config('c0', { value: 'old' }))] },
  handedOffNewer: {
    web: [own(config('c0', { contested: 'newer' })), c1('newer'), s0('newer')],
    next: [share(config('c0', { value: 'newer' }))],
  },
  renamed: { fresh: whole('first') },
  renamedNewer: { fresh: whole('newer') },
  renamedMoved: { fresh: [c0('first'), s0('first')], next: [c1('first')] },
  renamedMovedNewer: { fresh: [c0('newer'), s0('newer')], next: [c1('newer')] },
  renamedTaken: { fresh: [own(config('c0', { contested: 'old' })), c1('old'), s0('old')], next: [taken('old')] },
  renamedTakenNewer: { fresh: [own(config('c0', { contested: 'newer' })), c1('newer'), s0('newer')], next: [taken('newer')] },
  /** It takes nothing from others. */
  careful: { web: [{ ...c0('first'), config: { conflicts: 'fail' } }, { ...c1('first'), config: { conflicts: 'fail' } }, s0('first')] },
  dynamic: { web: [...whole('old'), w0('old')] },
  dynamicFirst: { web: [...whole('first'), w0('first')] },
  dynamicNewer: { web: [...whole('newer'), w0('newer')] },
} satisfies Readonly<Record<string, Program>>;

export type ProgramName = keyof typeof programs;

const prepared = new Map<string, Promise<Prepared>>();

/**
 * A program, made once.
 *
 * @param objects the names of the objects that it declares. @default all
 */
export function preparedProgram(name: ProgramName, objects?: readonly string[]): Promise<Prepared> {
  const key = `${name} ${objects}`;
  const found = prepared.get(key) ?? prepare(name, objects);
  prepared.set(key, found);
  return found;
}

async function prepare(name: ProgramName, objects?: readonly string[]): Promise<Prepared> {
  const isDeclared = ({ object }: Declared) => objects === undefined || objects.includes((object as ResponseBody).metadata.name);
  const program: Program = Object.fromEntries(
    Object.entries(programs[name] as Program).map(([stack, all]) => [stack, all.filter(isDeclared)]),
  );
  const { assembly, directory } = await synthesized(app, program, 'fresh' in program ? { fresh: 'web' } : {});
  const values = new Map<string, Values>();
  for (const { object } of Object.values(program).flat()) {
    const declared = object as ResponseBody;
    const key = `${declared.kind} ${declared.metadata.name}`;
    values.set(key, { ...values.get(key), ...valuesOf(declared) });
  }
  return { assembly, directory, values };
}

/** What a run does. */
export interface Deed {
  readonly verb: RunSettings['verb'];
  readonly program: ProgramName;
  /** The program of the last run of a history in which this is done: it agrees with what the deed does. */
  readonly last: ProgramName;
}

export const deeds = {
  deploy: { verb: 'deploy', program: 'first', last: 'newer' },
  create: { verb: 'deploy', program: 'more', last: 'newer' },
  release: { verb: 'deploy', program: 'thinner', last: 'newer' },
  prune: { verb: 'deploy', program: 'less', last: 'newer' },
  destroy: { verb: 'destroy', program: 'old', last: 'newer' },
  rollback: { verb: 'rollback', program: 'old', last: 'newer' },
  repair: { verb: 'repair', program: 'old', last: 'newer' },
  adopt: { verb: 'adopt', program: 'old', last: 'newer' },
  handoff: { verb: 'handoff', program: 'handedOff', last: 'handedOffNewer' },
  move: { verb: 'deploy', program: 'moved', last: 'movedNewer' },
  rename: { verb: 'deploy', program: 'renamed', last: 'renamedNewer' },
  'rename and move': { verb: 'deploy', program: 'renamedMoved', last: 'renamedMovedNewer' },
  'rename and transfer': { verb: 'deploy', program: 'renamedTaken', last: 'renamedTakenNewer' },
  'saved plan': { verb: 'planned', program: 'first', last: 'newer' },
  /** By a program that was not deployed: nothing of it may be. */
  'repair by another program': { verb: 'repair', program: 'first', last: 'newer' },
  careful: { verb: 'deploy', program: 'careful', last: 'newer' },
  dynamic: { verb: 'deploy', program: 'dynamicFirst', last: 'dynamicNewer' },
} as const satisfies Readonly<Record<string, Deed>>;

export type DeedName = keyof typeof deeds;

/** Deeds that agree about the last program: see `Deed.last`. */
export function agreeing(deed: DeedName): readonly DeedName[] {
  const { last } = deeds[deed];
  return (Object.keys(deeds) as DeedName[]).filter((name) => deeds[name].last === last);
}
