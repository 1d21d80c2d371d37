import type { Policy } from '../app/policy.js';
import type { ObjectIdentity, PartialObject } from '../assembly/index.js';
import type { RootType } from '../schema/model.js';
import type { Declared, DeclaredStack } from './declared.js';
import type { Typed } from './typed.js';
/** The one intent of a stack for an object. */
export interface MergedIntent {
  readonly identity: ObjectIdentity;
  readonly object: PartialObject;
  /** In program order, at least one. */
  readonly declared: readonly Declared[];
  /** Intent-level policies of all declarations. */
  readonly policy: Policy;
  readonly typed: Typed;
  /** Present where a builder of the program knows the object's schema. */
  readonly root: RootType | undefined;
}

export interface MergedStack extends Omit<DeclaredStack, 'declared'> {
  readonly intents: readonly MergedIntent[];
}
