/** What a type is: the model of structured merge, and reading it from CRDs, OpenAPI v3 and generated tables. */
export { decodeTable, rootType, rootTypes } from './decode-table.js';
export { decodeRef, decodeType } from './decode-type.js';
export { deduced, deducedName, deducedType, givenTypes, untyped, untypedName, untypedType } from './deduced.js';
export { encodeRef, encodeType } from './encode-type.js';
export type { Finding, FindingCode } from './finding.js';
export type { BuilderMethod, BuilderMethods, MethodForm } from './method-names.js';
export { builderMethods, pascalCase } from './method-names.js';
export type { Field, ListType, MapType, RootType, ScalarType, Schema, Type, TypeRef } from './model.js';
export { objectFields, objectMetaName, objectMetaTypes } from './object-meta.js';
export { pathStep } from './path-step.js';
export type { ReadCrdOptions, ReadCrdResult } from './read-crd.js';
export { isCrd, readCrd } from './read-crd.js';
export type { OpenApiDocument, ReadOpenApiOptions, ReadOpenApiResult } from './read-openapi.js';
export { readOpenApi } from './read-openapi.js';
export { intOrStringFormat, quantityFormat } from './read-scalar.js';
export { resolve } from './resolve.js';
export { hiddenFields } from './root-fields.js';
export type { EncodedField, EncodedObject, EncodedRoot, EncodedType, Table, TableData } from './table.js';
