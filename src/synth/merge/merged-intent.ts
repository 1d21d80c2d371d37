import type { Policy } from '../../app/settings/policy.js';
import type { ObjectIdentity, PartialObject } from '../../assembly/index.js';
import type { RootType } from '../../schema/model.js';
import type { Declared, DeclaredStack } from '../declared/declared.js';
import type { Typed } from '../declared/typed.js';

/** The merged intent of a stack for an object. */
export interface MergedIntent {
  readonly identity: ObjectIdentity;
  readonly object: PartialObject;
  /** The merged declarations in program order, at least one. */
  readonly declared: readonly Declared[];
  /** The combined policies of all declarations. */
  readonly policy: Policy;
  readonly typed: Typed;
  /** The type of the object; undefined if no builder of the program knows it. */
  readonly root: RootType | undefined;
}

/** A stack with one intent per object. */
export interface MergedStack extends Omit<DeclaredStack, 'declared'> {
  readonly intents: readonly MergedIntent[];
}
