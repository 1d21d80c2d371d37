import type { PageStack } from '../page-data.js';

/** The choices of the reader of a list. An empty set chooses everything. */
export interface StackFilter {
  /** In lower case. */
  readonly text: string;
  readonly states: ReadonlySet<string>;
  readonly apps: ReadonlySet<string>;
  readonly instances: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
}

/** @param content all that the page shows of the stack, in lower case. */
export function isStackShown(stack: PageStack, content: string, { text, states, apps, instances, namespaces }: StackFilter): boolean {
  return (
    content.includes(text) &&
    has(states, stack.state) &&
    has(apps, stack.app) &&
    has(instances, stack.instance) &&
    (namespaces.size === 0 || stack.namespaces.some((namespace) => namespaces.has(namespace)))
  );
}

function has(chosen: ReadonlySet<string>, value: string): boolean {
  return chosen.size === 0 || chosen.has(value);
}
