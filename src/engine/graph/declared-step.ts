import { identityKey } from '../../assembly/identity.js';
import type { IntentManifest, PartialObject, StackManifest } from '../../assembly/types.js';
import { digestOfIntent } from './intent-digest.js';

/** One intent on its way to the cluster. */
export interface Step {
  readonly stack: StackManifest;
  /** Position in the stack. */
  readonly index: number;
  readonly intent: IntentManifest;
  /** The same for each read, but not always the same instance: the object may be parsed again. */
  readonly object: PartialObject;
  /** Of the intent; see `digestOfIntent`. */
  readonly digest: string;
  /** Identity of the object. */
  readonly key: string;
}

/** A step that reads its object from the assembly when it is asked for: tens of thousands of objects are large, and few are in work at once. */
export class DeclaredStep implements Step {
  readonly stack: StackManifest;
  readonly index: number;
  readonly intent: IntentManifest;
  readonly digest: string;
  readonly key: string;
  readonly #objects: readonly PartialObject[];

  constructor(stack: StackManifest, index: number, objects: readonly PartialObject[]) {
    this.stack = stack;
    this.index = index;
    this.intent = stack.intents[index] as IntentManifest;
    this.#objects = objects;
    this.digest = digestOfIntent(this.object);
    this.key = identityKey(this.intent);
  }

  get object(): PartialObject {
    return this.#objects[this.index] as PartialObject;
  }
}

/** A step as a run changes it. */
export class ChangedStep implements Step {
  readonly stack: StackManifest;
  readonly index: number;
  readonly intent: IntentManifest;
  readonly digest: string;
  readonly key: string;
  readonly #declared: Step;
  readonly #change: ((object: PartialObject) => PartialObject) | undefined;

  /** @param change returns the object of the changed step; absent: the object stays as it is. */
  constructor(declared: Step, intent: IntentManifest, change?: (object: PartialObject) => PartialObject) {
    this.stack = declared.stack;
    this.index = declared.index;
    this.intent = intent;
    this.#declared = declared;
    this.#change = change;
    this.digest = change === undefined ? declared.digest : digestOfIntent(this.object);
    this.key = change === undefined ? declared.key : identityKey(intent);
  }

  get object(): PartialObject {
    const { object } = this.#declared;
    return this.#change === undefined ? object : this.#change(object);
  }
}
