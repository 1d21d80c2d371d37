/** Modules that are loaded when they are first needed, and then used at once. */
export interface DeferredCode<Code> {
  load(): Promise<void>;
  /** Undefined if they are not loaded yet. */
  readonly loaded: Code | undefined;
}

export function deferredCode<Code>(load: () => Promise<Code>): DeferredCode<Code> {
  let loaded: Code | undefined;
  return {
    async load() {
      loaded ??= await load();
    },
    get loaded() {
      return loaded;
    },
  };
}
