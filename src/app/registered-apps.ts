import type { IConstruct } from 'constructs';
import type { FieldwiseError } from '../util/error.js';

/** An app of this process, as the command line uses it. */
export interface RegisteredApp {
  readonly name: string | undefined;
  readonly isWritten: boolean;
  synth(): void;
  /**
   * Refuses further declarations, because the assembly has been taken; absent in former versions.
   *
   * @param onLate receives the error of each one.
   */
  close?(onLate: (error: FieldwiseError) => void): void;
  /** Makes `synth()` do nothing, because its directory is no longer its own; absent in former versions. */
  seal?(): void;
  /** Throws `declared-after-synth` if something was declared after the last `synth()`; absent in former versions. */
  checkWritten?(): void;
  /** Fails this process if something was declared after the last `synth()`; absent in former versions. */
  failProcess?(): void;
}

/** A construct without a scope, of whatever class, and the line of the program that made it. */
export interface RegisteredRoot {
  readonly construct: IConstruct;
  readonly source: string | undefined;
}

const slot = Symbol.for('fieldwise.apps');
const rootSlot = Symbol.for('fieldwise.roots');

/** Returns the apps of this process in the order of their construction, across installed copies of Fieldwise. */
export function registeredApps(): readonly RegisteredApp[] {
  return apps();
}

/** Registers an app, so that the command line finds it if the program does not call `synth()`. */
export function registerApp(app: RegisteredApp): void {
  apps().push(app);
}

/** Returns the constructs without a scope that `watchRoots` has seen, in the order of their construction. */
export function registeredRoots(): readonly RegisteredRoot[] {
  return roots();
}

/** Registers a construct without a scope, for the warning of objects that are in no app of Fieldwise. */
export function registerRoot(root: RegisteredRoot): void {
  roots().push(root);
}

/** Removes all registered apps and roots. The command line calls it before it runs a program. */
export function clearApps(): void {
  apps().length = 0;
  roots().length = 0;
}

function apps(): RegisteredApp[] {
  const global = globalThis as { [slot]?: RegisteredApp[] };
  global[slot] ??= [];
  return global[slot];
}

function roots(): RegisteredRoot[] {
  const global = globalThis as { [rootSlot]?: RegisteredRoot[] };
  global[rootSlot] ??= [];
  return global[rootSlot];
}
