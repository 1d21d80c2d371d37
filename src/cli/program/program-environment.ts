import { environmentNames } from '../../app/environment.js';
import type { ProgramOptions } from './program-options.js';

/** Returns the environment variables for the program; see src/app/environment.ts. */
export function programEnvironment({
  name,
  instance,
  id,
  namespace,
  policy,
  prune,
  tracking,
  context,
  outdir,
  cwd,
  environment,
}: Omit<ProgramOptions, 'app' | 'env' | 'stderr' | 'timeoutSeconds' | 'after' | 'own'>): Record<string, string | undefined> {
  return {
    [environmentNames.appName]: name,
    [environmentNames.instance]: instance,
    [environmentNames.id]: id,
    [environmentNames.namespace]: namespace,
    [environmentNames.policy]: JSON.stringify(policy),
    [environmentNames.prune]: String(prune),
    [environmentNames.tracking]: tracking,
    [environmentNames.context]: JSON.stringify(context),
    [environmentNames.outdir]: outdir,
    [environmentNames.projectDir]: cwd,
    [environmentNames.environment]: environment,
  };
}
