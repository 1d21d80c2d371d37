export { type Draft, openDraft } from './draft.js';
export { groupOf, identityKey, type ObjectIdentity, objectText } from './identity.js';
export { manifestName } from './manifest-name.js';
export type * from './policy-vocabulary.js';
export { readAssembly } from './read.js';
export type * from './types.js';
export { type AssemblyFiles, digestOf, writeAssembly } from './write.js';
