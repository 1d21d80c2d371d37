import type { ModulePlan } from './plan.js';

/** A plan whose modules stand below directories that begin with `prefix-`, as `NAME:=SPEC` asks for. */
export function prefixModules(plan: ModulePlan, prefix: string): ModulePlan {
  const moved = (path: string) => `${prefix}-${path}`;
  const types = new Map([...plan.types].map(([id, type]) => [id, type.external ? type : { ...type, module: moved(type.module) }]));
  const modules = plan.modules.map((module) => ({
    path: moved(module.path),
    roots: module.roots,
    types: module.types.map((type) => types.get(type.id) ?? type),
  }));
  return { ...plan, types, modules };
}
