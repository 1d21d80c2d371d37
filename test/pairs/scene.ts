import { rmSync } from 'node:fs';
import { type ObjectRef, ref, type TestCluster } from '../harness/cluster.js';
import type { RunResult } from '../harness/fieldwise.js';
import { Project } from '../harness/project.js';
import type { Situation } from './model.js';
import { type Program, type StackText, textOf, withFields, withStack } from './program.js';
import type { Manager } from './rules.js';

/** What a pair begins with, beside its number. */
export interface Start {
  /** The group of the kind `Widget`; one of its own where a deed changes the definition. */
  readonly group: string;
  /** Nobody else has fields of the object. */
  readonly alone: boolean;
  /** There is an earlier revision, with another value of \`b\`. */
  readonly hasRevision: boolean;
}

/** Fields that the stacks declare at the start, by stack; `y` is left to its owner. */
export const startFields: Readonly<Partial<Record<Manager, Readonly<Record<string, unknown>>>>> = {
  web: { a: '1', b: '1', c: '1', d: '1', h: '1', k: '1', l: ['1'], m: '1', p: '1', r: '1', t: '1', u: '1', v: '1', y: '1' },
  side: { s: '1' },
  gone: { g: '1' },
};

/** Fields that `them` applies. */
export const theirFields = { k: '1', o: 'theirs', v: '1', y: 'theirs' };

/** One object, its program and its cluster: what the deeds work on. */
export class Scene {
  program: Program;
  readonly project: Project;
  readonly object: ObjectRef;

  constructor(
    readonly cluster: TestCluster,
    name: string,
    readonly start: Start,
  ) {
    this.object = ref(`${start.group}/v1`, 'Widget', 'contested', name);
    const policy = { fields: { 'spec.y': { conflicts: 'yield' } } };
    const part = (stack: Manager, as: 'own' | 'share') => ({
      part: stack,
      name: stack,
      declared: { as, fields: startFields[stack] ?? {} },
    });
    const others = start.alone ? [{ part: 'side' as const, name: 'side' }] : [part('side', 'share'), part('gone', 'share')];
    const web = { ...part('web', 'own'), declared: { as: 'own' as const, fields: startFields.web ?? {}, policy } };
    this.program = { app: { name }, stacks: [web, { part: 'next', name: 'next' }, ...others] };
    this.project = new Project(
      { 'fieldwise.yaml': 'app: main.ts\n' },
      {
        kubeconfig: cluster.kubeconfig,
        environment: { FIELDWISE_NAMESPACE: name, FIELDWISE_INVENTORY_NAMESPACE: name, FIELDWISE_POLICY: '{"wait":false,"waitSeconds":0}' },
      },
    );
  }

  /** The stack that has what was of another at the start: its declaration may have moved. */
  holder(part: Manager): StackText {
    const has = (stack: StackText) => stack.declared?.fields[part === 'web' ? 'a' : ''] !== undefined;
    const found = this.program.stacks.find(has) ?? this.program.stacks.find((stack) => stack.part === part);
    if (found === undefined) throw new Error(`the program has no stack ${part}`);
    return found;
  }

  /** Changes the fields that a stack declares; undefined: no longer. */
  declare(part: Manager, fields: Readonly<Record<string, unknown>>, policy: object = {}): void {
    const { part: now } = this.holder(part);
    this.program = withFields(this.program, now, fields);
    this.program = withStack(this.program, now, (stack) => ({
      ...stack,
      ...(stack.declared && { declared: { ...stack.declared, policy: { ...stack.declared.policy, ...policy } } }),
    }));
  }

  get namespace(): string {
    return this.object.metadata.namespace as string;
  }

  /** Deploys the program before any deed, and lets the others have their fields. */
  async begin(): Promise<void> {
    await this.cluster.create('somebody', ref('v1', 'Namespace', this.namespace));
    if (this.start.hasRevision) {
      const { program } = this;
      this.program = withFields(program, 'web', { b: '0' });
      await this.must('deploy');
      this.program = program;
    }
    await this.must('deploy');
    if (!this.start.alone) {
      for (const c of ['0', '1']) await this.cluster.patch('kubectl-client-side-apply', this.object, { spec: { c } });
      await this.cluster.apply('them', { ...this.object, spec: theirFields }, { force: true });
      await this.must('deploy');
    }
    if (!this.start.hasRevision) return;
    const { events } = await this.must('history', 'web', '-o', 'json');
    this.startRevision = String(Math.max(...events.map(({ revision }) => revision)));
  }

  /** What the model begins with. */
  situation(): Situation {
    const owners: Record<string, Manager[]> = {};
    const live: Record<string, string> = {};
    const declared: Record<string, { as: 'own' | 'share'; fields: Record<string, string> }> = {};
    const own = (manager: Manager, field: string, value: unknown) => {
      live[field] = String(value);
      owners[field] = [...(owners[field] ?? []), manager];
    };
    for (const { part, declared: given } of this.program.stacks) {
      if (given)
        declared[part] = {
          as: given.as,
          fields: Object.fromEntries(Object.entries(given.fields).map(([name, value]) => [name, String(value)])),
        };
      for (const [field, value] of Object.entries(given?.fields ?? {})) if (this.start.alone || field !== 'y') own(part, field, value);
    }
    if (!this.start.alone) {
      own('kubectl', 'c', '1');
      for (const [field, value] of Object.entries(theirFields)) own('them', field, value);
    }
    return { live, owners, declared, movedTo: {}, transfers: [], decidedBy: {} };
  }

  /** Runs a command on the program as it is now. */
  async run(...args: readonly string[]): Promise<RunResult> {
    const object = { ...this.object, metadata: { name: this.object.metadata.name } };
    const { declared } = this.holder('web');
    const options = { 'fieldwise.dev/options': JSON.stringify({ lifecycle: declared?.as, ...declared?.policy }) };
    const document = { ...object, metadata: { ...object.metadata, annotations: options }, spec: declared?.fields };
    const text = textOf(this.program, object);
    this.project.write({ 'web.json': JSON.stringify(document) });
    if (args.includes('-f')) return this.project.run(args);
    if (text !== this.#synthesized) {
      this.project.write({ 'main.ts': text });
      const synthesized = await this.project.run(['synth']);
      if (synthesized.exitCode !== 0) return synthesized;
      this.#synthesized = text;
    }
    return this.project.run([...args, '-a', 'dist']);
  }

  /** Flags that deeds have chosen: of all commands, and of the deploy alone. */
  readonly flags = { all: [] as string[], deploy: [] as string[] };
  /** The program of which the assembly is: to load it once is enough. */
  #synthesized: string | undefined;
  /** The revision to which the run goes back. */
  #revision: string | undefined;
  /** The revision that the stack had before the deeds. */
  startRevision = '';

  /** The command that plans, does, or repeats what the pair is about. */
  command(what: 'plan' | 'deploy' | 'again'): string[] {
    const { all, deploy } = this.flags;
    const stack = this.program.stacks.find(({ part }) => part === 'web')?.name as string;
    if (this.#revision !== undefined) {
      const back = what === 'plan' ? ['diff', '--to-revision', this.#revision, stack] : ['rollback', this.#revision, stack];
      return [...back, '-o', 'json', ...(what === 'again' ? ['--yes'] : []), ...all];
    }
    return [what === 'plan' ? 'diff' : 'deploy', '-o', 'json', ...all, ...(what === 'deploy' ? deploy : [])];
  }

  rollBackTo(revision: string): void {
    this.#revision = revision;
  }

  /** Runs a command that must succeed. */
  async must(...args: readonly string[]): Promise<RunResult> {
    const result = await this.run(...args);
    if (result.exitCode !== 0) throw new Error(`${args.join(' ')} ended with ${result.exitCode}: ${result.stderr}${result.stdout}`);
    return result;
  }

  /** The part of a field manager in the table, `former web` for a stack whose name has changed; that of a stack that has left, and others, by name. */
  partOf(manager: string): string {
    const [prefix, app, , name] = manager.split('/');
    if (prefix !== 'fieldwise') return manager.startsWith('kubectl') ? 'kubectl' : manager;
    const stack = this.program.stacks.find((candidate) => candidate.name === name);
    if (stack && app === this.program.app.name) return stack.part;
    const former = this.program.stacks.find((candidate) => (candidate.renamedFrom ?? candidate.name) === name);
    return former ? `former ${former.part}` : String(name);
  }

  /** The part of a stack by its name, which may be that of a stack that has left. */
  stackPart(name: string): string {
    return (
      this.program.stacks.find((stack) => stack.name === name)?.part ??
      this.program.stacks.find(({ renamedFrom }) => renamedFrom === name)?.part ??
      name
    );
  }

  end(): void {
    rmSync(this.project.directory, { recursive: true, force: true });
  }
}
