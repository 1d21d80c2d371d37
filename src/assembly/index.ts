export { groupOf, identityKey, type ObjectIdentity, objectText } from './identity.js';
export { readAssembly } from './read.js';
export type * from './types.js';
export { type AssemblyFiles, digestOf, manifestName, writeAssembly } from './write.js';
