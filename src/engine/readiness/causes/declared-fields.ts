import { identityKey, type ObjectIdentity } from '../../../assembly/identity.js';
import type { Assembly, IntentManifest, PartialObject, StackManifest } from '../../../assembly/types.js';
import { resolvePath, valueAt } from '../../../fields/index.js';
import { type Json, type JsonObject, jsonEqual } from '../../../util/json.js';
import type { CauseSource } from '../../report/readiness-cause.js';

/** A declaration of an object by a stack. */
interface Declared {
  readonly stack: StackManifest;
  readonly intent: IntentManifest;
  /** Returns the object, which is parsed when it is asked for. */
  readonly read: () => PartialObject;
}

/** The part of an assembly that declares; a reader of records has none. */
export interface Declarations extends Pick<Assembly, 'objects'> {
  readonly manifest: Pick<Assembly['manifest'], 'stacks'>;
}

/** The declarations of all stacks of a program, by object: another stack may have set a field by a share. */
export class DeclaredFields {
  readonly #assembly: Declarations;
  #byObject: ReadonlyMap<string, readonly Declared[]> | undefined;

  constructor(assembly: Declarations) {
    this.#assembly = assembly;
  }

  /**
   * Returns the declaration of the first of some fields that a stack declares. A stack that declares the live value comes before one that
   * declares another value.
   */
  sourceOf(identity: ObjectIdentity, fields: readonly string[], live: JsonObject): CauseSource | undefined {
    const declared = this.#declarationsOf(identity);
    for (const field of fields) {
      const found = declared.flatMap((one) => {
        const value = valueIn(one.read(), field);
        return value === undefined ? [] : [{ ...one, value }];
      });
      const isLive = ({ value }: { readonly value: Json }) => jsonEqual(value, valueIn(live, field) ?? null);
      const best = found.find(isLive) ?? found[0];
      if (best) return { field, stack: best.stack.name, declaredBy: best.intent.declaredBy };
    }
    return undefined;
  }

  #declarationsOf(identity: ObjectIdentity): readonly Declared[] {
    this.#byObject ??= declarationsByObject(this.#assembly);
    const { namespace: _, ...withoutNamespace } = identity;
    // A declaration without a namespace is of an object in the namespace of the connection.
    return this.#byObject.get(identityKey(identity)) ?? this.#byObject.get(identityKey(withoutNamespace)) ?? [];
  }
}

function declarationsByObject({ manifest, objects }: Declarations): ReadonlyMap<string, readonly Declared[]> {
  const found = new Map<string, Declared[]>();
  for (const [index, stack] of manifest.stacks.entries()) {
    for (const [position, intent] of stack.intents.entries()) {
      const key = identityKey(intent);
      const read = () => objects[index]?.[position] as PartialObject;
      found.set(key, [...(found.get(key) ?? []), { stack, intent, read }]);
    }
  }
  return found;
}

function valueIn(object: JsonObject, field: string): Json | undefined {
  const path = resolvePath(field, object);
  return path && valueAt(object, path);
}
