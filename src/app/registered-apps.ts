/** An app of this process, as the command line uses it. */
export interface RegisteredApp {
  readonly name: string | undefined;
  readonly isWritten: boolean;
  synth(): void;
}

const slot = Symbol.for('fieldwise.apps');

/** Returns the apps of this process in the order of their construction, across installed copies of Fieldwise. */
export function registeredApps(): readonly RegisteredApp[] {
  return apps();
}

/** Registers an app, so that the command line finds it if the program does not call `synth()`. */
export function registerApp(app: RegisteredApp): void {
  apps().push(app);
}

/** Removes all registered apps. The command line calls it before it runs a program. */
export function clearApps(): void {
  apps().length = 0;
}

function apps(): RegisteredApp[] {
  const global = globalThis as { [slot]?: RegisteredApp[] };
  global[slot] ??= [];
  return global[slot];
}
