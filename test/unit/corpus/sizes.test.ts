import { expect, test } from 'vitest';
import { generateModules, readCrd } from '../../../codegen/index.js';
import { type CrdSizes, sizesText } from '../../corpus/sizes/measure-sizes.js';
import { plainCrd } from '../../corpus/sizes/plain-crd.js';
import { withoutComments } from '../../corpus/sizes/without-comments.js';

test('comments and the lines that only held one are taken out, and nothing else', () => {
  const text = `// Generated.
import * as $ from 'fieldwise/builders'; // behind

/**
 * Two lines: é
 */
export interface A {
  /** One. */
  readonly url?: string | undefined;
  /* before */ readonly b?: '// no comment' | undefined;
}
export const c = \`{ "a": "/* no comment */",
  "b": "https://example.com" }\`;

export function f(): void {
  // alone
}
`;
  expect(withoutComments(text)).toBe(`import * as $ from 'fieldwise/builders';

export interface A {
  readonly url?: string | undefined;
   readonly b?: '// no comment' | undefined;
}
export const c = \`{ "a": "/* no comment */",
  "b": "https://example.com" }\`;

export function f(): void {
}
`);
  expect(withoutComments('')).toBe('');
});

const size = {
  type: 'object',
  required: ['cpu'],
  properties: {
    cpu: { type: 'string', pattern: '^[0-9]+m$', enum: ['1m', '2m'] },
    pattern: { type: 'integer', minimum: 1, default: 3 },
    ports: { type: 'array', maxItems: 2, items: { type: 'integer', 'x-kubernetes-int-or-string': false, maximum: 5 } },
    labels: { type: 'object', additionalProperties: { type: 'string', maxLength: 3 } },
  },
  oneOf: [{ required: ['cpu'] }],
  'x-kubernetes-validations': [{ rule: 'true' }],
};
const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gateways.edge.example.com' },
  spec: {
    group: 'edge.example.com',
    scope: 'Namespaced',
    names: { kind: 'Gateway', plural: 'gateways' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.cpu', statusReplicasPath: '.spec.cpu' } },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: size, status: size } } },
      },
    ],
  },
};

test('a plain CRD has neither status nor constraints, but every field of its spec', async () => {
  const plain = plainCrd(crd);
  expect(plain.spec).toMatchObject({
    versions: [
      {
        subresources: { scale: {} },
        schema: {
          openAPIV3Schema: {
            properties: {
              spec: {
                required: ['cpu'],
                properties: {
                  cpu: { type: 'string', enum: ['1m', '2m'] },
                  pattern: { type: 'integer', default: 3 },
                  ports: { items: { type: 'integer' } },
                },
              },
            },
          },
        },
      },
    ],
  });
  expect(JSON.stringify(plain)).not.toMatch(/"status"|minimum|maxItems|maximum|maxLength|oneOf|validations|\^\[0-9\]/);
  const texts = async (document: unknown) => (await generateModules(readCrd(document).roots)).files.map(({ text }) => text).join('');
  const [whole, less] = [await texts(crd), await texts(plain)];
  expect(less.length).toBeLessThan(whole.length);
  expect(less).toContain('readonly pattern?: number');
  expect(whole).toContain('Status');
  expect(less).not.toContain('Status');
});

test('the report compares what both wrote, and counts what cdk8s fails on', () => {
  const both = (written: number, bare: number) => ({ written, bare });
  const of = (name: string, ours: number, cdk8s: CrdSizes['cdk8s']) => ({
    name,
    ours: both(ours, ours / 2),
    withoutDocs: ours / 2,
    plainWithoutDocs: ours / 4,
    plain: both(ours / 2, ours / 4),
    cdk8s,
  });
  const text = sizesText([of('a', 2000, both(1000, 500)), of('b', 1050, both(1000, 500)), of('c', 9000, { failure: 'too deep' })], true);
  expect(text).toContain('3 CRDs; cdk8s fails on 1: c: too deep');
  expect(text).toContain('larger by more than a tenth: 1: a 2.00');
  expect(text).toContain('medians 2.0 KB and 1.0 KB: 2.00×');
  expect(sizesText([of('c', 1, { failure: 'x' })], false)).toContain('1 CRDs; cdk8s fails on 1: c: x');
});
