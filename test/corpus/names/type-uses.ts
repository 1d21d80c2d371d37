import type { ModulePlan } from '../../../codegen/module-plan.js';
import { combinesConditions } from '../../../codegen/type-names.js';
import type { Type, TypeRef } from '../../../src/schema/index.js';

/** How often a generated type stands below a property of one name. */
export interface NamedUse {
  /** The name in the schema; `many`: the type is that of the items of a list or the values of a map. */
  readonly property: string;
  readonly many: boolean;
  /** Positions in the schemas: a type of 3 positions with this property for another type gives 3. */
  readonly count: number;
}

/** A generated type that is no kind, and its uses. */
export interface UsedType {
  readonly module: string;
  readonly base: string;
  /** Wire names of its fields. */
  readonly fields: readonly string[];
  /** The most frequent first. */
  readonly uses: readonly NamedUse[];
}

/** Returns the types of a plan that stand below properties, with how often each stands below which. Kinds and types of other packages are left out. */
export function usedTypes(plan: ModulePlan): UsedType[] {
  const edges = edgesByTarget(plan);
  const positions = positionCounter(plan, edges);
  const rootIds = new Set(plan.modules.flatMap(({ roots }) => roots.map(({ typeId }) => typeId)));
  const used: UsedType[] = [];
  for (const { path, types } of plan.modules) {
    for (const { id, base, type } of types) {
      if (rootIds.has(id)) continue;
      const uses = new Map<string, NamedUse>();
      for (const { from, property, many } of (edges.get(id) ?? []).flatMap((edge) => named(edge, edges))) {
        const key = `${many ? '*' : '.'}${property}`;
        uses.set(key, { property, many, count: (uses.get(key)?.count ?? 0) + positions(from) });
      }
      const sorted = [...uses.values()].sort((a, b) => b.count - a.count || (a.property < b.property ? -1 : 1));
      if (sorted.length > 0) used.push({ module: path, base, fields: [...type.map.fields.keys()], uses: sorted });
    }
  }
  return used;
}

/** A property of one type that leads to another. */
interface Edge {
  readonly from: string;
  readonly property: string;
  readonly many: boolean;
}

/** Returns the edges that say what a value is: for `match.any`, those that lead to the type of `match`. */
function named(edge: Edge, edges: ReadonlyMap<string, readonly Edge[]>): readonly Edge[] {
  const outer = combinesConditions(edge.property)
    ? (edges.get(edge.from) ?? []).filter(({ property }) => !combinesConditions(property))
    : [];
  return outer.length === 0 ? [edge] : outer.map((other) => ({ ...other, many: other.many || edge.many }));
}

function edgesByTarget(plan: ModulePlan): ReadonlyMap<string, readonly Edge[]> {
  const edges = new Map<string, Edge[]>();
  const visit = (ref: TypeRef, edge: Edge): void => {
    if ('inline' in ref) visitContent(ref.inline, edge);
    else edges.set(ref.name, [...(edges.get(ref.name) ?? []), edge]);
  };
  const visitContent = ({ list, map }: Type, edge: Edge): void => {
    if (list !== undefined) visit(list.element, { ...edge, many: true });
    if (map?.element !== undefined) visit(map.element, { ...edge, many: true });
    for (const [property, field] of map?.fields ?? []) visit(field.type, { from: edge.from, property, many: false });
  };
  for (const { id, type, external } of plan.types.values()) {
    if (external) continue;
    for (const [property, field] of type.map.fields) visit(field.type, { from: id, property, many: false });
  }
  return edges;
}

/** Returns a function that counts the positions of a type: 1 for a kind, else those of all types that have it; a cycle is walked once. */
function positionCounter(plan: ModulePlan, edges: ReadonlyMap<string, readonly Edge[]>): (id: string) => number {
  const known = new Map<string, number>();
  for (const { roots } of plan.modules) for (const { typeId } of roots) known.set(typeId, 1);
  const walked = new Set<string>();
  const positions = (id: string): number => {
    const before = known.get(id);
    if (before !== undefined || walked.has(id)) return before ?? 0;
    walked.add(id);
    const count = (edges.get(id) ?? []).reduce((sum, { from }) => sum + positions(from), 0);
    known.set(id, count);
    return count;
  };
  return positions;
}
