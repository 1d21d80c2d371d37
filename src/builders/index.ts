/** The run time of generated builders. */

export { rootType, rootTypes } from '../schema/table/decode-table.js';
export type { Table } from '../schema/table/table.js';
export type { ApplyConfiguration, Brand, Branded, BuildContext, BuilderType } from './apply-configuration.js';
export { builderType, builderTypeOf } from './apply-configuration.js';
export { buildLiteral } from './build.js';
export { fromObject, part, root } from './builder.js';
export type { Built, Documented, Input, Item, Keyed, MethodNames, RootMethodNames, WithKeys } from './shapes.js';
