import type { PlannerOptions } from '../plan/plan.js';
import { after } from '../util/after.js';
import type { Host } from './host.js';
import type { Config } from './program/config.js';

/** Returns the option of a plan that judges it by the configured rules. @throws FieldwiseError `rules-invalid`, `program-failed`. */
export async function rulesOption(
  { rules: file, programTimeout }: Pick<Config, 'rules' | 'programTimeout'>,
  host: Pick<Host, 'raw' | 'after' | 'ownProcess'>,
): Promise<Pick<PlannerOptions, 'check'>> {
  if (file === undefined) return {};
  const [{ changeChecker }, { loadRules }] = await Promise.all([import('../rules/index.js'), import('./program/load-rules.js')]);
  const options = { file, timeoutSeconds: programTimeout, after: host.after ?? after, stderr: host.raw.stderr, own: host.ownProcess };
  return { check: changeChecker(await loadRules(options)) };
}
