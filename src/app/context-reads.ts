import type { Node } from 'constructs';

/** The context values that the configuration sets, and which of them the program has read. */
export interface ContextReads {
  readonly configured: readonly string[];
  readonly read: ReadonlySet<string>;
  /** Keys that the program asked for and nobody sets. */
  readonly missing: ReadonlySet<string>;
  /** Returns the configured value of a key. */
  valueOf(key: string): unknown;
}

/**
 * Sets the configured context values of the root construct, and records which of them are read, by any method of any construct. A value that
 * the program replaces or that a construct below hides is not read.
 */
export function trackContext(node: Node, context: Readonly<Record<string, unknown>>): ContextReads {
  const read = new Set<string>();
  const missing = new Set<string>();
  for (const [key, value] of Object.entries(context)) node.setContext(key, value);
  // The library has no hook; without this member, every value counts as read.
  const { _context: values } = node as unknown as { readonly _context?: object };
  for (const key of Object.keys(context)) {
    if (values === undefined || !Object.hasOwn(values, key)) {
      read.add(key);
      continue;
    }
    Object.defineProperty(values, key, {
      configurable: true,
      enumerable: true,
      get: () => {
        read.add(key);
        return context[key];
      },
      set: (value: unknown) => Object.defineProperty(values, key, { value, configurable: true, enumerable: true, writable: true }),
    });
  }
  for (const method of ['tryGetContext', 'getContext'] as const) {
    const lookUp = node[method].bind(node);
    node[method] = (key) => {
      if (values === undefined || !Object.hasOwn(values, key)) missing.add(key);
      return lookUp(key);
    };
  }
  return { configured: Object.keys(context), read, missing, valueOf: (key) => context[key] };
}
