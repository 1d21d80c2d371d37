import type { PartialObject } from '../../assembly/types.js';
import { resourceIfServed } from '../../engine/addresses/address.js';
import { ServerTypes } from '../../engine/client-side-apply/server-types.js';
import { formatPath, membersOf, union, valueAt } from '../../fields/index.js';
import type { ClusterClient } from '../../kubernetes/index.js';
import { compare } from '../../merge/index.js';
import { deduced, predefinedTypes } from '../../schema/index.js';
import type { Json } from '../../util/json.js';

/** A field in which the declaration of an object differs from what it is compared with. Values of Secrets are masked. */
export interface DifferingField {
  readonly field: string;
  /** The value in the revision, or the live value; absent if the field is not there. */
  readonly before?: Json;
  /** The declared value; absent if the field is not declared. */
  readonly declared?: Json;
}

/** Compares two versions of an intent by the types of the server; a list whose type is unknown is one value. */
export class DeclaredDifferences {
  readonly #cluster: ClusterClient;
  readonly #types = new ServerTypes();

  constructor(cluster: ClusterClient) {
    this.#cluster = cluster;
  }

  async between(before: PartialObject, declared: PartialObject): Promise<readonly DifferingField[]> {
    const resource = await resourceIfServed(this.#cluster, declared.apiVersion, declared.kind);
    const root = resource && (await this.#types.get(this.#cluster, resource));
    const { schema, type } = root ?? { schema: { types: new Map(predefinedTypes) }, type: deduced };
    const { added, removed, modified } = compare(schema, type, before, declared);
    return membersOf(union(union(added, removed), modified))
      .filter(({ leaf }) => leaf)
      .map(({ path }) => differingField(formatPath(path), valueAt(before, path), valueAt(declared, path)));
  }
}

export function differingField(field: string, before: Json | undefined, declared: Json | undefined): DifferingField {
  return { field, ...(before === undefined ? {} : { before }), ...(declared === undefined ? {} : { declared }) };
}
