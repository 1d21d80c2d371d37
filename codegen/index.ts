/** `fieldwise/codegen`: reads schemas and generates TypeScript; uses neither files nor the network. */
export type { OpenApiDocument, RootType, SampleObject, SchemaDiagnostic } from '../src/schema/index.js';
export { readCrd, readOpenApi } from '../src/schema/index.js';
export { fetchOpenApi } from './fetch-openapi.js';
export type { GeneratedFile, GenerateOptions, GenerateResult } from './generate-modules.js';
export { generateModules } from './generate-modules.js';
export { kubernetesVersion } from './kubernetes-version.js';
export type { ListTypeOverlay } from './list-type.js';
export { parseListType } from './list-type.js';
export type { LockedNames } from './module-plan.js';
export type { OverlaidCrd } from './overlay-crd.js';
export { overlayCrd } from './overlay-crd.js';
export type { BlockedRelease, KindReport, OwnershipReportOptions, Position, WeakKey } from './ownership-report.js';
export { ownershipReport } from './ownership-report.js';
export type { ShareableList } from './shareable-lists.js';
