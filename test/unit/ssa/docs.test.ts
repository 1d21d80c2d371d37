import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as ssa from '../../../src/entry/ssa.js';

/** The examples of docs/ssa.md, run in one go: `expression; // value` must hold. */
const text = readFileSync(fileURLToPath(new URL('../../../docs/ssa.md', import.meta.url)), 'utf8');

const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { kind: Widget, plural: widgets }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                size: { type: integer }
                colors: { type: array, x-kubernetes-list-type: set, items: { type: string } }
                parts:
                  type: array
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [name]
                  items: { type: object, required: [name], properties: { name: { type: string }, quantity: { type: integer } } }
`;

function examples(): string {
  const blocks = [...text.matchAll(/<!-- example: \w+ -->\n```ts\n([\s\S]*?)```/g)].map((match) => match[1] as string);
  expect(blocks.length).toBeGreaterThan(4);
  return blocks
    .join('\n')
    .replace(/^(?!const )(\S.*);\s*\/\/ (.*)$/gm, (_, expression, value) => `check(${expression}, ${JSON.stringify(value)});`)
    .replace(/^(?!const )(\S.*);\n\/\/ (.*)$/gm, (_, expression, value) => `check(${expression}, ${JSON.stringify(value)});`);
}

test('the examples of docs/ssa.md hold', () => {
  const directory = mkdtempSync(join(tmpdir(), 'fieldwise-docs-'));
  try {
    writeFileSync(join(directory, 'widgets.yaml'), crd);
    let checked = 0;
    const check = (actual: unknown, text: string): void => {
      checked += 1;
      if (!/^[[{]/.test(text)) expect(actual).toBe(text);
      else expect(text.includes('spec:') ? specOf(actual) : actual).toEqual(literal(text));
    };
    const scope = { ...ssa, parse, check, readFileSync: (name: string) => readFileSync(join(directory, name), 'utf8') };
    new Function(...Object.keys(scope), examples())(...Object.values(scope));
    expect(checked).toBe(7);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

function literal(text: string): unknown {
  return new Function(`return (${text});`)();
}

function specOf(value: unknown): unknown {
  return { spec: (value as { spec: unknown }).spec };
}
