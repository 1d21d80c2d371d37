import type { AppRoot } from './app-root.js';

const slot = Symbol.for('fieldwise.apps');

/** Apps of this process in the order of their construction, across installed copies of Fieldwise. */
export function registeredApps(): readonly AppRoot[] {
  return apps();
}

/** Called by the constructor of an app, so that the CLI finds the app of a program that does not call `synth()`. */
export function registerApp(app: AppRoot): void {
  apps().push(app);
}

/** Forgets all apps; the CLI calls it before it runs a program. */
export function forgetApps(): void {
  apps().length = 0;
}

function apps(): AppRoot[] {
  const holder = globalThis as { [slot]?: AppRoot[] };
  holder[slot] ??= [];
  return holder[slot];
}
