import type { Config } from './config.js';

/** Returns the option by which a run names stacks that the program does not declare; absent with documents, each stack of which is a program. */
export function independentOption({ independent, documents }: Pick<Config, 'independent' | 'documents'>) {
  return documents === undefined ? { independent } : {};
}
