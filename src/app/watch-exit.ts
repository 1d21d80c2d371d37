import { registeredApps } from './registered-apps.js';

/**
 * Makes this process, which the command line has started for a program, fail where something was declared after the last `synth()`. That is
 * known once all listeners of `exit` have run, because each of them may declare something, and call `synth()` then.
 */
export function watchExit(): void {
  const emit = process.emit as (event: string, ...args: readonly unknown[]) => boolean;
  process.emit = ((event: string, ...args: readonly unknown[]) => {
    const hadListeners = emit.call(process, event, ...args);
    if (event === 'exit') for (const app of registeredApps()) app.failProcess?.();
    return hadListeners;
  }) as typeof process.emit;
}
