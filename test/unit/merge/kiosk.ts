import { parse } from 'yaml';
import { type RootType, readCrd, type Schema, type TypeRef } from '../../../src/schema/index.js';

/** A schema with one of everything, as a user would write it. */
const yaml = `
type: object
properties:
  apiVersion: { type: string }
  kind: { type: string }
  spec:
    type: object
    properties:
      title: { type: string }
      size: { type: integer }
      open: { type: boolean }
      port: { x-kubernetes-int-or-string: true }
      contact: { type: object, properties: { mail: { type: string }, phone: { type: string } } }
      frame: { type: object, x-kubernetes-map-type: atomic, properties: { width: { type: integer }, height: { type: integer } } }
      labels: { type: object, additionalProperties: { type: string } }
      rooms: { type: object, additionalProperties: { type: object, properties: { color: { type: string } } } }
      words: { type: array, items: { type: string } }
      tags: { type: array, x-kubernetes-list-type: set, items: { type: string } }
      parts:
        type: array
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [name]
        items:
          type: object
          properties: { name: { type: string }, price: { type: integer }, more: { type: object, properties: { a: { type: string } } } }
      ports:
        type: array
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [port, protocol]
        items:
          type: object
          properties: { port: { type: integer }, protocol: { type: string, default: TCP }, host: { type: string } }
      any: { type: object, x-kubernetes-preserve-unknown-fields: true }
`;

export const kiosk: RootType = readCrd({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Kiosk', plural: 'kiosks' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: parse(yaml) } }],
  },
}).roots[0]!;

export const schema: Schema = kiosk.schema;
export const type: TypeRef = kiosk.type;
