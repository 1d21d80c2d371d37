import type { JsonObject } from '../../src/util/json.js';
import type { ScenarioTransport } from './exchange.js';
import type { Scenario } from './scenario.js';

/** Makes the namespaces and the kinds that scenarios need. */
export async function prepare(exchange: ScenarioTransport, crds: readonly JsonObject[], scenarios: readonly Scenario[]): Promise<void> {
  const namespaces = new Set(scenarios.flatMap(({ steps }) => steps.flatMap(({ target }) => target.namespace ?? [])));
  for (const name of namespaces) await made(exchange, '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  for (const crd of crds) await made(exchange, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
  for (const crd of crds) {
    const { name } = crd.metadata as { name: string };
    for (let tries = 0; ; tries++) {
      const { body } = await exchange({ method: 'GET', path: `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}` });
      if (JSON.stringify(body).includes('"Established"')) break;
      if (tries === 100) throw new Error(`${name} is not established: ${JSON.stringify(body)}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

async function made(exchange: ScenarioTransport, path: string, object: JsonObject): Promise<void> {
  const { code, text, body } = await exchange({ method: 'POST', path, body: JSON.stringify(object) });
  if (code !== 201 && code !== 409) throw new Error(`POST ${path}: ${code} ${text || JSON.stringify(body)}`);
}
