import { nameOf } from '../../../fields/object.js';
import type { OpenApiDocument } from '../../../schema/index.js';
import type { SourceDocument } from '../../../schema/read/read-documents.js';
import { FieldwiseError } from '../../../util/error.js';
import { roundedNumbers } from '../../../util/exact-json.js';
import type { Json, JsonObject } from '../../../util/json.js';
import { isJsonObject } from '../../../util/json.js';

export interface ClusterAccess {
  readonly kubeconfig?: string | undefined;
  readonly kubeContext?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A CRD of a cluster or of a file. */
export interface SourceCrd extends SourceDocument {
  /** The only version to import; all versions if absent. */
  readonly version?: string;
  /** True for a CRD of a directory, repository or archive: an error in it does not keep the others from being imported. */
  readonly several?: boolean;
  /** Digest of its `spec`, once it was read. */
  readonly digest?: string;
}

export interface ServedApi {
  readonly crds: readonly SourceCrd[];
  readonly openApi: readonly OpenApiDocument[];
}

/** Reads schemas from a cluster; connects on first use. */
export class ClusterSchemas {
  readonly #access: ClusterAccess;
  #opened: Promise<{ get: (path: string) => Promise<Json>; close: () => void; server: string }> | undefined;
  #crds: Promise<readonly JsonObject[]> | undefined;

  constructor(access: ClusterAccess) {
    this.#access = access;
  }

  /**
   * Reads the API that `wanted` names: a CRD (`gateways.edge.example.com`), the CRDs of a group (`edge.example.com`), a group-version
   * (`edge.example.com/v1`, `apps/v1`, `v1`), or every CRD if it is empty.
   *
   * @throws FieldwiseError `api-not-served`, and errors of the connection.
   */
  async read(wanted: string): Promise<ServedApi> {
    const location = `cluster:${wanted}`;
    const crds = await this.#listCrds();
    const named = crds.filter((crd) => wanted === '' || nameOf(crd) === wanted || groupOf(crd) === wanted);
    if (named.length > 0) return { crds: named.map((document) => ({ document, location: `cluster:${nameOf(document)}` })), openApi: [] };
    const [group = '', version = ''] = wanted.split('/');
    const serving = crds.filter((crd) => version !== '' && groupOf(crd) === group && versionsOf(crd).includes(version));
    if (serving.length > 0) {
      return { crds: serving.map((document) => ({ document, location: `cluster:${nameOf(document)}`, version })), openApi: [] };
    }
    const openApi = await this.openApi((path) => path === (version === '' ? `api/${wanted}` : `apis/${wanted}`));
    if (openApi.length > 0) return { crds: [], openApi };
    const { server } = await this.#open();
    const groups = [...new Set(crds.map(groupOf))].sort();
    throw new FieldwiseError(
      'api-not-served',
      'usage',
      wanted === '' ? 'The cluster has no CRDs' : `The cluster does not serve ${wanted}`,
      {
        location: { file: location, server },
        next:
          wanted === '' || groups.length === 0
            ? 'Pass a group-version that it serves, such as apps/v1.'
            : `Pass a CRD, a group or a group-version. The groups of its CRDs are ${groups.join(', ')}.`,
      },
    );
  }

  /** Reads the OpenAPI v3 documents of the group-versions whose path `wanted` accepts. */
  async openApi(wanted: (groupVersion: string) => boolean): Promise<readonly OpenApiDocument[]> {
    const [{ fetchOpenApi }, { get }] = await Promise.all([import('../../../../codegen/index.js'), this.#open()]);
    return fetchOpenApi(get, wanted);
  }

  async close(): Promise<void> {
    // A failed connection was reported when it was used.
    await this.#opened?.then(
      ({ close }) => close(),
      () => undefined,
    );
  }

  #listCrds(): Promise<readonly JsonObject[]> {
    this.#crds ??= this.#readCrds();
    return this.#crds;
  }

  async #readCrds(): Promise<readonly JsonObject[]> {
    const { get } = await this.#open();
    const crds: JsonObject[] = [];
    let next = '';
    do {
      const page = await get(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions?limit=100${next}`);
      const items = isJsonObject(page) && Array.isArray(page.items) ? page.items.filter(isJsonObject) : [];
      // Items of a list have no apiVersion and kind.
      for (const item of items) crds.push({ ...item, apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' });
      const token = isJsonObject(page) && isJsonObject(page.metadata) ? page.metadata.continue : undefined;
      next = typeof token === 'string' && token !== '' ? `&continue=${encodeURIComponent(token)}` : '';
    } while (next !== '');
    return crds;
  }

  #open() {
    this.#opened ??= this.#connect();
    return this.#opened;
  }

  async #connect() {
    const { ApiError, connect, Transport } = await import('../../../kubernetes/index.js');
    const { kubeconfig, kubeContext, signal } = this.#access;
    const transport = new Transport(await connect({ kubeconfig, kubeContext }), { concurrency: 4, signal });
    const get = async (path: string): Promise<Json> => {
      const [plain = '', query = ''] = path.split('?');
      try {
        const response = await transport.send({ method: 'GET', path: plain, query: Object.fromEntries(new URLSearchParams(query)) });
        return roundedNumbers(response.body); // as in a file
      } catch (cause) {
        if (!(cause instanceof ApiError)) throw cause;
        throw new FieldwiseError('api-not-served', 'usage', `The schemas of the cluster cannot be read: ${cause.message}`, {
          location: { server: transport.server },
          next:
            cause.code === 403
              ? 'Grant the user `get` and `list` on customresourcedefinitions, and `get` on the path /openapi/v3.'
              : 'Check that the server is a kube-apiserver of Kubernetes 1.27 or later.',
          cause,
        });
      }
    };
    return { get, close: () => transport.close(), server: transport.server };
  }
}

function groupOf(crd: JsonObject): string {
  return isJsonObject(crd.spec) ? String(crd.spec.group) : '';
}

function versionsOf(crd: JsonObject): readonly string[] {
  const versions = isJsonObject(crd.spec) && Array.isArray(crd.spec.versions) ? crd.spec.versions : [];
  return versions.map((version) => (isJsonObject(version) ? String(version.name) : ''));
}
