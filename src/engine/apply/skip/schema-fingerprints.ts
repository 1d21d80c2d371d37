import { metadataOf } from '../../../fields/object.js';
import { type ClusterClient, customResourceDefinitions, isNotFound, type Resource } from '../../../kubernetes/index.js';
import { isBuiltIn } from '../../../schema/index.js';
import { isJsonObject, type JsonObject } from '../../../util/json.js';

/**
 * Identifies the schema of a kind by a text that changes whenever the schema may have: an entry of managedFields shows list types only of
 * the schema that it was written under. Reads once per kind.
 */
export class SchemaFingerprints {
  readonly #cluster: ClusterClient;
  readonly #fingerprints = new Map<string, Promise<string | undefined>>();
  #version: Promise<string> | undefined;

  constructor(cluster: ClusterClient) {
    this.#cluster = cluster;
  }

  /**
   * Returns the fingerprint of a kind's schema; undefined where it cannot be known: no permission to read the CustomResourceDefinition,
   * versions that a webhook converts, whose answers are known to nobody, or an API that another server serves.
   */
  fingerprintOf(resource: Resource): Promise<string | undefined> {
    const key = `${resource.apiVersion} ${resource.kind}`;
    let fingerprint = this.#fingerprints.get(key);
    if (!fingerprint) {
      fingerprint = this.#read(resource).catch(() => undefined);
      this.#fingerprints.set(key, fingerprint);
    }
    return fingerprint;
  }

  async #read({ apiVersion, plural }: Resource): Promise<string | undefined> {
    const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
    if (group.includes('.')) {
      try {
        const definition = await this.#cluster.get({ resource: customResourceDefinitions, name: `${plural}.${group}` });
        if (isConvertedByWebhook(definition)) return undefined;
        const { uid, generation } = metadataOf(definition);
        return `${String(uid)}/${String(generation)}`;
      } catch (error) {
        if (!isNotFound(error)) return undefined;
      }
    }
    if (!isBuiltIn(apiVersion)) return undefined;
    this.#version ??= this.#cluster.version();
    return this.#version;
  }
}

function isConvertedByWebhook({ spec }: JsonObject): boolean {
  return isJsonObject(spec) && isJsonObject(spec.conversion) && spec.conversion.strategy === 'Webhook';
}
