import { isJsonObject, type JsonObject } from '../../src/util/json.js';
import type { Shape } from '../fuzz/fuzz-subject.js';

type Node = Record<string, unknown>;

/** Returns a schema without the rules that a refusal names; undefined if it names something else, which then is not wanted. */
export function withoutRefusedRules(shape: Shape, refusal: JsonObject): Shape | undefined {
  const { causes } = isJsonObject(refusal.details) ? refusal.details : {};
  const fields = (Array.isArray(causes) ? (causes as readonly JsonObject[]) : []).map(({ field }) => String(field));
  const paths = fields.map((field) => /properties\[spec\](.*?)\.?x-kubernetes-validations(?:\[(\d+)\])?/.exec(field));
  if (fields.length === 0 || !paths.some((path) => path !== null)) return undefined;
  const copy = structuredClone(shape) as Node;
  const refused = new Map<Node, Set<number>>();
  for (const path of paths) {
    if (path === null) continue;
    const node = nodeAt(copy, path[1] ?? '');
    refused.set(node, (refused.get(node) ?? new Set()).add(Number(path[2] ?? 0)));
  }
  for (const [node, numbers] of refused) {
    const rules = node['x-kubernetes-validations'] as readonly unknown[];
    node['x-kubernetes-validations'] = rules.filter((_, index) => !numbers.has(index));
    if (rules.length === numbers.size) delete node['x-kubernetes-validations'];
  }
  return copy;
}

function nodeAt(root: Node, path: string): Node {
  let node = root;
  for (const [, property, other] of path.matchAll(/\.properties\[([^\]]*)\]|\.(items|additionalProperties)/g))
    node = (property === undefined ? node[String(other)] : (node.properties as Record<string, Node>)[property]) as Node;
  return node;
}
