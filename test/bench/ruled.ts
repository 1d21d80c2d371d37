import type { JsonObject } from '../../lib/src/util/json.js';

const text = { type: 'string', maxLength: 20 };
const rules = (...list: readonly string[]) => ({ 'x-kubernetes-validations': list.map((rule) => ({ rule })) });
const port = { type: 'object', required: ['name'], properties: { name: text, port: { type: 'integer' } } };

/** A kind with nine rules: of the object, of its scalars, of the items of two lists. */
export const ruledDefinition: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'ruleds.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Ruled', plural: 'ruleds', singular: 'ruled', listKind: 'RuledList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  min: { type: 'integer' },
                  max: { type: 'integer' },
                  class: { ...text, ...rules('self == oldSelf') },
                  name: { ...text, ...rules('self.matches("^[a-z]+$")', 'self.size() > 1') },
                  words: { type: 'array', maxItems: 20, items: { ...text, ...rules('self.startsWith("w")') } },
                  ports: {
                    type: 'array',
                    maxItems: 20,
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: { ...port, ...rules('self.port > 0 && self.port < 65536') },
                  },
                },
                ...rules(
                  'self.min <= self.max',
                  'self.ports.all(p, self.ports.exists_one(q, q.name == p.name))',
                  'self.words.size() <= self.max + 100',
                ),
              },
            },
          },
        },
      },
    ],
  },
};

/** Ten words and ten ports: 26 evaluations of rules, one of which compares all ports with each other. */
export function ruled(_manager: number, counter: number, name: string, namespace: string): JsonObject {
  const ten = Array.from({ length: 10 }, (_, index) => index);
  return {
    apiVersion: 'example.com/v1',
    kind: 'Ruled',
    metadata: { name, namespace },
    spec: {
      min: 1,
      max: counter + 5,
      class: 'a',
      name: 'abc',
      words: ten.map((index) => `w${index}`),
      ports: ten.map((index) => ({ name: `p${index}`, port: 80 + index + (counter % 7) })),
    },
  };
}
