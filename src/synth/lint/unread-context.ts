import type { AppRoot } from '../../app/app-root.js';
import type { SynthDiagnostic } from '../../assembly/index.js';
import { helmHooks } from '../declared/helm-hooks.js';

/** Flags that people expect to be context values. */
const flags: Readonly<Record<string, string>> = {
  instance: '--instance',
  env: '--env',
  environment: '--env',
  stage: '--env',
  namespace: '--namespace',
  kubeContext: '--kube-context',
  'kube-context': '--kube-context',
};

/** The number of keys that a warning names. */
const maxNames = 10;

/** Warns of configured context values that the program did not read, in their order. Fieldwise reads `helmHooks` only of charts. */
export function unreadContext({ contextReads: { configured, read, missing } }: AppRoot): readonly SynthDiagnostic[] {
  return configured
    .filter((key) => key !== helmHooks && !read.has(key))
    .map((key) => ({
      code: 'context-unread',
      message: messageOf(
        key,
        [...missing].filter((name) => name !== helmHooks),
      ),
    }));
}

function messageOf(key: string, missing: readonly string[]): string {
  const what = `Nothing in the program reads the context value ${JSON.stringify(key)}, so it has no effect.`;
  const flag = Object.hasOwn(flags, key) ? flags[key] : undefined;
  if (flag !== undefined) return `${what} If you mean the flag, pass ${flag}.`;
  if (missing.length === 0) return what;
  const names = missing.slice(0, maxNames).map((name) => JSON.stringify(name));
  return `${what} It reads ${names.join(', ')}${missing.length > names.length ? ' and others' : ''}, which nobody sets.`;
}
