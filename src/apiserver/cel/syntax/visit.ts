import type { Expression } from './expression.js';

/** Visits a node and all nodes inside of it. */
export function visit(node: Expression, see: (node: Expression) => void): void {
  see(node);
  for (const child of children(node)) visit(child, see);
}

function children(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case 'select':
      return [node.operand];
    case 'call':
      return node.target === undefined ? node.args : [node.target, ...node.args];
    case 'list':
      return node.items;
    case 'map':
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case 'comprehension':
      return [node.range, node.init, node.condition, node.step, node.result];
    default:
      return [];
  }
}
