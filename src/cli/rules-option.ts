import type { PlannerOptions } from '../plan/plan.js';
import type { Config } from './program/config.js';

/** Returns the option of a plan that judges it by the configured rules. @throws FieldwiseError `rules-invalid`. */
export async function rulesOption({ rules: file }: Pick<Config, 'rules'>): Promise<Pick<PlannerOptions, 'check'>> {
  if (file === undefined) return {};
  const [{ changeChecker }, { loadRules }] = await Promise.all([import('../rules/index.js'), import('./program/load-rules.js')]);
  return { check: changeChecker(await loadRules(file)) };
}
