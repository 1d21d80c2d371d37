import { createHook } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import { lineSource } from '../../app/source-position.js';
import type { FieldwiseError } from '../../util/error.js';
import type { OwnProcess } from '../process/own-process.js';
import { type ActiveResources, activeResources, pendingText } from './pending-work.js';
import { programError, programFailed } from './program-error.js';
import { ProgramExit } from './program-exit.js';
import { type TopLevelAwaits, topLevelAwaits } from './top-level-awaits.js';
import { passing, trackWork } from './tracked-work.js';
import { noticeMs, timedOutNext } from './waiting-texts.js';

/** How a module of the user is run. */
export interface ModuleRun<Loaded> {
  /** The file, for errors. */
  readonly file: string;
  load(): Promise<Loaded>;
  /** `over`: until `node` would end; `loaded`: until the module has been loaded. */
  readonly until: 'over' | 'loaded';
  /** Absent where the process goes on for others, such as a test runner. */
  readonly own?: OwnProcess | undefined;
  readonly timeoutSeconds: number;
  /** Calls back after a time in which this process has something else to do, too; returns a function that cancels it. */
  readonly after: (milliseconds: number, callback: () => void) => () => void;
  readonly stderr: (text: string) => void;
  /** Called once, when the program is over, before its listeners of `exit` run. */
  onOver?(exited: boolean): void;
  /** The next step for a program that is not over; the line after 5 s ends with it. */
  advice?(): string;
}

/** How a module ended, where it did not fail. */
export interface Ended<Loaded> {
  /** Absent where `process.exit` ended the module while it was loaded. */
  readonly loaded?: Loaded;
  /** The call of `process.exit(0)` that ended it. */
  readonly exit?: { readonly source: string | undefined };
}

/**
 * Runs a module of the user in this process, as `node` runs a program: it is over when nothing of it is pending, or when it calls
 * `process.exit`, which ends the module and not the command. Listeners of `beforeExit` and `exit` run as under Node. Handles of before do not
 * count (docs/decisions/78).
 *
 * @throws FieldwiseError `program-failed`, and the errors of Fieldwise that the module throws.
 */
export async function runAsProcess<Loaded>(run: ModuleRun<Loaded>): Promise<Ended<Loaded>> {
  const program = new ProgramProcess(run);
  try {
    return await program.ended;
  } finally {
    // In a process that goes on, what the call of `process.exit` has thrown is caught now.
    if (run.own === undefined) await new Promise((resolve) => setImmediate(resolve));
    program.leave();
  }
}

type Listener = (...args: unknown[]) => unknown;

class ProgramProcess<Loaded> {
  readonly ended: Promise<Ended<Loaded>>;
  readonly #run: ModuleRun<Loaded>;
  readonly #before: ActiveResources;
  readonly #listeners = new Map(process.eventNames().map((event) => [event, new Set(process.rawListeners(event as 'exit'))]));
  readonly #original = { exit: process.exit, emit: process.emit, write: process.stdout.write, exitCode: process.exitCode };
  readonly #cleanUps: (() => void)[] = [];
  readonly #awaits: TopLevelAwaits;
  #resolve!: (ended: Ended<Loaded>) => void;
  #reject!: (error: unknown) => void;
  #phase: 'running' | 'exiting' | 'over' = 'running';
  #loaded: { readonly value: Loaded } | undefined;
  #exitCode: number | undefined;
  #failure: FieldwiseError | undefined;
  /** True if the listeners of `beforeExit` have run, and nothing has happened since. */
  #isQuiet = false;
  #isAsking = false;
  /** Calls something of the program in its asynchronous context, where that is followed. */
  #inContext = <Result>(work: () => Result): Result => work();

  constructor(run: ModuleRun<Loaded>) {
    this.#run = run;
    this.#before = activeResources();
    this.ended = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#awaits = topLevelAwaits(run.file);
    this.#cleanUps.push(() => this.#awaits.stop());
    this.#patch();
    if (run.own) run.own.hasRunModule = true;
    if (run.own) this.#waitForLoop();
    else this.#waitForTrackedWork();
    this.#cleanUps.push(
      run.after(noticeMs, () => this.#notice()),
      run.after(run.timeoutSeconds * 1000, () => this.#timeOut()),
    );
    this.#inContext(() => run.load()).then(
      (value) => {
        this.#loaded = { value };
        if (run.until === 'loaded' && this.#phase === 'running') this.#end(undefined);
      },
      (error: unknown) => this.#fail(error),
    );
  }

  /** Gives back what the program shared with the command. In a process of the command's own, what is left of the program stays shut out. */
  leave(): void {
    this.#phase = 'over';
    for (const cleanUp of this.#cleanUps) cleanUp();
    process.exitCode = this.#original.exitCode;
    if (this.#run.until === 'over') this.#removeListeners();
    if (this.#run.own) return; // standard output is reserved for the data of the command until it ends
    process.stdout.write = this.#original.write;
    if (process.emit === this.#emit) process.emit = this.#original.emit;
    if (process.exit === this.#exit) process.exit = this.#original.exit;
    syncBuiltinESMExports();
  }

  #removeListeners(): void {
    for (const event of process.eventNames()) {
      for (const listener of this.#listenersOf(event)) process.off(event as 'exit', listener as () => void);
    }
  }

  #patch(): void {
    process.exit = this.#exit;
    process.emit = this.#emit;
    process.exitCode = undefined;
    process.stdout.write = ((chunk: string | Uint8Array, ...rest: readonly unknown[]) => {
      this.#run.stderr(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'));
      const done = rest.find((argument) => typeof argument === 'function') as (() => void) | undefined;
      done?.();
      return true;
    }) as typeof process.stdout.write;
    syncBuiltinESMExports(); // for modules with `import { exit } from 'node:process'`
  }

  readonly #exit = (code?: number | string | null): never => {
    const exit = new ProgramExit(Number(code ?? process.exitCode ?? 0));
    if (this.#phase === 'running') this.#end(exit);
    else if (this.#phase === 'exiting') this.#exitCode = exit.exitCode;
    else if (this.#run.until === 'loaded') this.#run.own?.failedLate(this.#exited(exit, 'See its output above.'));
    throw exit;
  };

  readonly #emit = ((event: string, ...args: readonly unknown[]): boolean => {
    if (event === 'beforeExit' && this.#phase === 'running' && this.#run.own) {
      this.#idle();
      return true;
    }
    if (event === 'unhandledRejection' || event === 'uncaughtException') return this.#unhandled(event, args);
    return (this.#original.emit as (...all: readonly unknown[]) => boolean).call(process, event, ...args);
  }) as typeof process.emit;

  #unhandled(event: 'unhandledRejection' | 'uncaughtException', args: readonly unknown[]): boolean {
    if (args[0] instanceof ProgramExit) return true;
    const listeners = this.#listenersOf(event);
    if (this.#phase === 'running' && listeners.length > 0) {
      for (const listener of listeners) listener.apply(process, [...args]);
      return true;
    }
    // Node asks the listeners of `uncaughtException` next.
    if (this.#phase === 'running' && event === 'unhandledRejection' && this.#listenersOf('uncaughtException').length > 0) return false;
    if (this.#phase === 'running') this.#fail(args[0]);
    else if (this.#run.own) this.#run.own.failedLate(programError(args[0], this.#run.file));
    else return (this.#original.emit as (...all: readonly unknown[]) => boolean).call(process, event, ...args);
    return true;
  }

  /** The listeners that the program has added. */
  #listenersOf(event: string | symbol): readonly Listener[] {
    const before = this.#listeners.get(event);
    return (process.rawListeners(event as 'exit') as Listener[]).filter((listener) => !before?.has(listener));
  }

  /** Node emits `beforeExit` when its event loop is empty. Handles that were there before must not keep it alive. */
  #waitForLoop(): void {
    const held = this.#before.handles as readonly { unref?(): void; ref?(): void }[];
    for (const handle of held) handle.unref?.();
    this.#cleanUps.push(() => {
      for (const handle of held) handle.ref?.();
    });
  }

  /** In a process with other work, the end of what the program has started is seen by looking again and again. */
  #waitForTrackedWork(): void {
    const work = trackWork();
    let idleTurns = 0;
    const timer = setInterval(() => {
      if (this.#phase !== 'running' || this.#isAsking) return;
      idleTurns = work.isPending() ? 0 : idleTurns + 1;
      if (idleTurns === 0) this.#isQuiet = false;
      // Where a module is still loaded, what loads it may be at work outside of its context.
      if (idleTurns > (this.#loaded ? 1 : 250)) this.#idle();
    }, 1);
    this.#cleanUps.push(
      () => clearInterval(timer),
      () => work.stop(),
    );
    this.#inContext = (of) => work.run(of);
  }

  /** Nothing is pending: the program is over, unless one of its listeners of `beforeExit` starts something. */
  #idle(): void {
    const listeners = this.#listenersOf('beforeExit');
    if (this.#isQuiet || listeners.length === 0) {
      this.#end(undefined);
      return;
    }
    this.#isAsking = true;
    let started = false;
    const hook = createHook({
      init: (_, type) => {
        started ||= !passing.has(type);
      },
    });
    // It also keeps the event loop alive, so that Node says again when it is empty.
    setImmediate(() => {
      hook.disable();
      this.#isAsking = false;
      this.#isQuiet = !started;
      // This one runs only if something else keeps the event loop alive.
      if (this.#run.own) setImmediate(() => (this.#isQuiet = false)).unref();
    });
    hook.enable();
    try {
      this.#inContext(() => {
        for (const listener of listeners) listener.call(process, Number(process.exitCode ?? 0));
      });
    } catch (error) {
      this.#fail(error);
    }
  }

  #end(exit: ProgramExit | undefined): void {
    this.#phase = 'exiting';
    this.#exitCode = exit?.exitCode;
    const isStalled = exit === undefined && !this.#loaded;
    if (!isStalled && this.#code === 0) this.#attempt(() => this.#run.onOver?.(exit !== undefined));
    if (this.#run.until === 'over' || exit) this.#runExitListeners(isStalled ? stalledCode : this.#code);
    this.#phase = 'over';
    const failure = this.#failure ?? (isStalled ? this.#stalled() : this.#code === 0 ? undefined : this.#failedWith(exit));
    if (failure) this.#reject(failure);
    else this.#resolve({ ...(this.#loaded ? { loaded: this.#loaded.value } : {}), ...(exit ? { exit: { source: exit.source } } : {}) });
  }

  get #code(): number {
    return this.#exitCode ?? Number(process.exitCode ?? 0);
  }

  #stalled(): FieldwiseError {
    const { file } = this.#run;
    const line = this.#awaits.current();
    const source = line === undefined ? undefined : lineSource(file, line);
    return programFailed('A top-level await never settles', file, { source, next: stalledNext });
  }

  #failedWith(exit: ProgramExit | undefined): FieldwiseError {
    if (exit) return this.#exited({ exitCode: this.#code, source: exit.source });
    const what = `The program ended with the exit code ${this.#code} (process.exitCode)`;
    return programFailed(what, this.#run.file, { next: outputNext });
  }

  #exited({ exitCode, source }: Pick<ProgramExit, 'exitCode' | 'source'>, next = outputNext): FieldwiseError {
    const who = this.#run.until === 'over' ? 'The program' : 'The module of rules';
    return programFailed(`${who} called process.exit(${exitCode})`, this.#run.file, { source, next });
  }

  #fail(error: unknown): void {
    if (this.#phase !== 'running' || error instanceof ProgramExit) return;
    this.#phase = 'exiting';
    this.#runExitListeners(1);
    this.#phase = 'over';
    this.#reject(programError(error, this.#run.file));
  }

  #runExitListeners(code: number): void {
    for (const listener of this.#listenersOf('exit')) this.#attempt(() => listener.call(process, code));
  }

  #attempt(work: () => unknown): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof ProgramExit)) this.#failure ??= programError(error, this.#run.file);
    }
  }

  #pending(): string {
    return pendingText(this.#before, activeResources());
  }

  #notice(): void {
    const { stderr, advice } = this.#run;
    if (this.#phase === 'running')
      stderr(`The program is not over after ${noticeMs / 1000} s; it waits for ${this.#pending()}. ${advice?.() ?? ''}\n`);
  }

  #timeOut(): void {
    if (this.#phase !== 'running') return;
    const { file, timeoutSeconds } = this.#run;
    const what = `The program was not over after ${timeoutSeconds} s; it waits for ${this.#pending()}`;
    this.#fail(programFailed(what, file, { next: timedOutNext }));
  }
}

/** The exit code of Node for a top-level await that never settles. */
const stalledCode = 13;

const outputNext = 'See its output above. Nothing was changed.';

const stalledNext = 'Nothing is pending that could settle it. Await something that ends. Nothing was changed.';
