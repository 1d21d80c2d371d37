import type { ModuleGroup } from '../read/read-import.js';

/** Modules that are generated together: those of one API group, or of the built-in API. */
export interface GenerationPart extends ModuleGroup {
  /** The directory of the modules; `k8s` or `NAME-k8s` for the built-in API. */
  readonly key: string;
}

/** Splits types into parts that do not refer to each other. */
export function generationParts(units: readonly ModuleGroup[]): readonly GenerationPart[] {
  return units.flatMap((unit) => {
    const prefix = unit.name === '' ? '' : `${unit.name}-`;
    if (unit.builtIn) return [{ ...unit, key: `${prefix}k8s` }];
    const groups = [...new Set(unit.roots.map(({ apiVersion }) => groupOf(apiVersion)))].sort();
    return groups.map((group) => ({
      ...unit,
      key: `${prefix}${group}`,
      roots: unit.roots.filter(({ apiVersion }) => groupOf(apiVersion) === group),
      // A subject is a kind and its group-version.
      diagnostics: unit.diagnostics.filter(({ subject }) => groupOf(subject.split(' ')[1] ?? '') === group),
      patched: unit.patched.filter(({ spec }) => (spec as { readonly group?: unknown }).group === group),
      inputs: unit.inputs.filter((input) => input.group === group),
    }));
  });
}

function groupOf(apiVersion: string): string {
  return apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')));
}
