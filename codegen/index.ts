/** Schema in, TypeScript out: no file system, no network. */
export type { Finding, OpenApiDocument, RootType } from '../src/schema/index.js';
export { readCrd, readOpenApi } from '../src/schema/index.js';
export type { GeneratedFile, GenerateOptions, GenerateResult } from './generate-modules.js';
export { generatedMark, generateModules } from './generate-modules.js';
export { readLive } from './read-live.js';
