import type { MapType, RootType, Schema, SchemaDiagnostic, Type } from '../src/schema/index.js';

/**
 * Names of earlier runs: by module, then by name, the subject and path of the type that has it, or the name of the type of which it is an
 * alias.
 */
export type LockedNames = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The output plan of the generator: types by identity, named, and sorted into modules. */
export interface ModulePlan {
  /** Every planned type under its id; references inside lead to ids. */
  readonly schema: Schema;
  readonly types: ReadonlyMap<string, PlannedType>;
  /** Sorted by path. */
  readonly modules: readonly PlannedModule[];
  readonly diagnostics: readonly SchemaDiagnostic[];
}

export interface PlannedModule {
  /** Path without extension, such as `apps/v1`. */
  readonly path: string;
  readonly roots: readonly PlannedRoot[];
  /** Types of this module, sorted by name; those of roots included. */
  readonly types: readonly PlannedType[];
  /** Further names of types, by the alias: for uses that the name of the type contradicts. */
  readonly aliases: ReadonlyMap<string, string>;
}

/** An object type with declared fields: gets a literal shape, a builder and a constructor. */
export interface PlannedType {
  readonly id: string;
  readonly module: string;
  /** Name in TypeScript, such as `ContainerPort`. */
  base: string;
  readonly type: Type & { readonly map: MapType };
  /** The position, for messages. */
  readonly subject: string;
  readonly path: string;
  /** Subject and path by which a later run identifies the type. */
  readonly position: string;
  /** True if another package has the type, and modules only refer to it. */
  readonly external: boolean;
}

export interface PlannedRoot {
  /** Name in TypeScript, such as `Deployment` or `DeploymentStatus`. */
  readonly base: string;
  readonly root: RootType;
  readonly typeId: string;
}
