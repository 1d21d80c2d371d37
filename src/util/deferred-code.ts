/** Modules that are loaded when they are first needed, and then used at once. */
export interface DeferredCode<Code> {
  load(): Promise<void>;
  readonly isLoaded: boolean;
  /** Returns the modules. @throws Error unless they are loaded: whoever begins what needs them awaits `load` before. */
  get(): Code;
}

/** @param name such as "the code for rules" */
export function deferredCode<Code>(name: string, load: () => Promise<Code>): DeferredCode<Code> {
  let loaded: Code | undefined;
  return {
    async load() {
      loaded ??= await load();
    },
    get isLoaded() {
      return loaded !== undefined;
    },
    get() {
      if (loaded === undefined) throw new Error(`${name} is not loaded`);
      return loaded;
    },
  };
}
