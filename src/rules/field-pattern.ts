import { isItemStep, pathCovers, stepsOf } from '../fields/index.js';

const anyItem = '[*]';

/**
 * Returns true if a field is at or below a path. In the path, `[*]` is any item of a list: `.spec.template.spec.containers[*].image` covers
 * `.spec.template.spec.containers[name="web"].image`.
 */
export function matchesField(pattern: string, field: string): boolean {
  if (!pattern.includes(anyItem)) return pathCovers(pattern, field);
  const found = stepsOf(field);
  const steps = stepsOf(pattern).map((step, index) => {
    const other = found[index];
    return step === anyItem && other !== undefined && isItemStep(other) ? other : step;
  });
  return pathCovers(steps.join(''), field);
}
