import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readCrd, readOpenApi } from '../../../src/schema/index.js';
import { describeType } from './describe-type.js';

// A structural schema means the same to server-side apply whether it is read from the CRD or from what the API server publishes.
test.each(['shared-gateway', 'odd-thing'])('%s: the reader of CRDs and that of OpenAPI find the same relations', (name) => {
  const crd = parse(readFileSync(new URL(`../codegen/fixtures/${name}.yaml`, import.meta.url), 'utf8'));
  const { group, names, versions } = crd.spec;
  const gvk = { group, version: 'v1', kind: names.kind };
  const schema = structuredClone(versions[0].schema.openAPIV3Schema);
  const objectMeta = { allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }] };
  schema.properties = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: objectMeta, ...schema.properties };
  const document = {
    openapi: '3.0.0',
    paths: { [`/apis/${group}/v1/${names.plural}/{name}`]: { patch: { 'x-kubernetes-group-version-kind': gvk } } },
    components: {
      schemas: {
        'com.example.Kind': { ...schema, 'x-kubernetes-group-version-kind': [gvk] },
        'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta': { type: 'object', properties: { name: { type: 'string' } } },
      },
    },
  };
  const [fromCrd] = readCrd(crd).roots;
  const [fromOpenApi] = readOpenApi([{ name, document }]).roots;
  const described = [fromCrd, fromOpenApi].map((root) => {
    const map = root!.schema.types.get((root!.type as { name: string }).name)!.map!;
    // The API server publishes ObjectMeta in full; this document does not.
    const metadata = /metadata: granular \{(annotations.* selfLink: string, uid: string|name: string)\}/;
    return describeType(root!.schema, map.fields.get('spec')!.type).replace(metadata, 'metadata');
  });
  expect(described[0]).toContain('keyed port+protocol [granular {');
  expect(described[1]).toBe(described[0]);
});
