import type { StackManifest } from '../../assembly/types.js';

/** Returns true if an intent of a stack declares a direct dependency on another one, by itself or as a member of a group. */
export function dependsOn({ intents, groups = [] }: StackManifest, intent: number, other: number): boolean {
  const waiting = [intents[intent]?.dependsOn ?? []];
  const visited = new Set<number>();
  for (let nodes = waiting.pop(); nodes; nodes = waiting.pop()) {
    for (const node of nodes) {
      if (node === other) return true;
      if (node < intents.length || visited.has(node)) continue;
      visited.add(node);
      waiting.push(groups[node - intents.length] ?? []);
    }
  }
  return false;
}
