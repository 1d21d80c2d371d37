import type { JsonObject } from '../../../../src/util/json.js';
import { ApiClient } from '../../../harness/api-client.js';
import type { TestEnvironment } from '../../../harness/test-environment.js';
import type { CaseRequest } from './cases.js';

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
  readonly warnings: readonly string[];
}

/** Sends the requests of cases to the server of a test environment. */
export class CaseClient {
  readonly #client: ApiClient;
  readonly #namespace: string;

  constructor(testEnvironment: TestEnvironment) {
    this.#client = new ApiClient(testEnvironment.kubeconfig);
    this.#namespace = testEnvironment.namespace;
    testEnvironment.onCleanup(() => this.#client.close());
  }

  readonly send = async (
    { method, resource = 'configmaps', path, body, query, type = 'application/json' }: CaseRequest,
    name: string,
  ): Promise<Answer> => {
    const server = this.#client.connection.server.replace(/\/$/, '');
    const root = this.#root(resource);
    const fill = (text: string) => text.replaceAll('NAMESPACE', this.#namespace).replaceAll('NAME', name);
    const url = new URL(fill(`${server}${root}${path === undefined ? '' : `/${path}`}${query === undefined ? '' : `?${query}`}`));
    const bytes = body === undefined ? undefined : Buffer.from(fill(JSON.stringify(body)));
    // Without a length, the server reads no body of a DELETE.
    const length = bytes === undefined ? {} : { 'content-length': `${bytes.length}` };
    const { status, text, headers } = await this.#client.raw(method, url, { 'content-type': type, ...length }, bytes);
    const warnings = [...String(headers.warning ?? '').matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(
      ([, warning]) => JSON.parse(`"${warning}"`) as string,
    );
    return { status, body: text.startsWith('{') ? JSON.parse(text) : { text }, warnings };
  };

  /** Returns what a client sees of an answer, without what differs between two runs. */
  readonly shown = ({ status, body, warnings }: Answer): JsonObject => {
    const text = JSON.stringify({
      status,
      ...(status < 400 ? {} : { reason: body.reason, message: body.message, details: body.details }),
      ...(warnings.length > 0 ? { warnings: warnings.toSorted() } : {}),
    });
    return JSON.parse(text.replaceAll(this.#namespace, 'NAMESPACE').replaceAll(/\bmade-[a-z0-9]{5}\b/g, 'made-SUFFIX')) as JsonObject;
  };

  #root(resource: string): string {
    const namespaced = `namespaces/${this.#namespace}`;
    const roots: Readonly<Record<string, string>> = {
      deployments: `/apis/apps/v1/${namespaced}/deployments`,
      'horizontalpodautoscalers.v1': `/apis/autoscaling/v1/${namespaced}/horizontalpodautoscalers`,
      'horizontalpodautoscalers.v2': `/apis/autoscaling/v2/${namespaced}/horizontalpodautoscalers`,
      namespaces: '/api/v1/namespaces',
      priorityclasses: '/apis/scheduling.k8s.io/v1/priorityclasses',
      validatingadmissionpolicies: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    };
    return roots[resource] ?? `/api/v1/${namespaced}/${resource}`;
  }
}
