import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeSuggestions, type Figures, suggestions } from '../../corpus/suggestions.js';

const directory = mkdtempSync(join(tmpdir(), 'fieldwise-suggestions-test-'));
let figures: Figures;

const list = (fields: string, keys = '') =>
  `{ type: array, ${keys === '' ? '' : `x-kubernetes-list-type: map, x-kubernetes-list-map-keys: ${keys}, `}items: { type: object, ${fields} } }`;
const named = 'required: [name, at], properties: { name: { type: string }, at: { type: integer } }';
const files = {
  'crds/edge.example.com/gateways.yaml': `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: edge.example.com
  scope: Namespaced
  names: { kind: Gateway, plural: gateways }
  versions:
    - name: v1
      schema:
        openAPIV3Schema:
          type: object
          properties:
            agrees: ${list(named, '[name]')}
            differs: ${list(named, '[at]')}
            rules: ${list(named, '[name]')}
            plugins: ${list(named)}
            users: ${list(named)}
            routes: ${list(named)}
            status: { type: object, properties: { plugins: ${list(named)} } }
`,
  'examples/edge.example.com/gateways/01.yaml':
    'apiVersion: edge.example.com/v1\nkind: Gateway\nplugins: [{ name: a, at: 1 }, { name: a, at: 2 }]\nusers: [{ name: a }, { name: b }]\n',
};

beforeAll(async () => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  figures = await suggestions(directory);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('suggestions are compared with declared keys, with samples and with what a server accepts', () => {
  expect(figures).toEqual({
    declared: { same: 1, sameLow: 0, other: 1, otherLow: 0, none: 1 },
    disagreements: ['Gateway edge.example.com/v1 .differs: at, suggested name (name is required)'],
    atomic: { high: 2, low: 0, none: 2 },
    offered: [
      'edge.example.com/gateways: Gateway:.plugins=map[name] (name is required)',
      'edge.example.com/gateways: Gateway:.users=map[name] (name is required)',
    ],
    refused: [],
    judged: 2,
    refuted: ['edge.example.com/gateways .plugins=name'],
    refutedWithSamples: [],
  });
  expect(describeSuggestions(figures)).toContain('with high confidence 1 the same, 1 others (50.0 % agree)');
});
