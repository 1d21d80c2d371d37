import { afterEach, beforeEach, expect, test } from 'vitest';
import { ImportProject } from './import-program.js';

/** Keys such as `y` in a CRD are read as `true`, as by kubectl; an import says so. */

let project: ImportProject;
beforeEach(async () => {
  project = await ImportProject.make();
});
afterEach(() => project.remove());

const crd = (properties: string) => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: pts.yn.example.com }
spec:
  group: yn.example.com
  scope: Namespaced
  names: { kind: Pt, plural: pts }
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
              properties:${properties}
`;
const block = '\n                x: { type: integer }\n                y: { type: integer }';

test.each([
  ['a block', crd(block), ['warning: pts.yaml:20: the key y is read as "true", its value in YAML 1.1; write it in quotes.']],
  [
    'braces',
    crd(' { x: { type: integer }, y: { type: integer }, off: { type: string } }'),
    [
      'warning: pts.yaml:18: the key y is read as "true", its value in YAML 1.1; write it in quotes.',
      'warning: pts.yaml:18: the key off is read as "false", its value in YAML 1.1; write it in quotes.',
    ],
  ],
  [
    'a block with a question mark',
    crd(block.replace('y: {', '? y # a key\n                : {')),
    ['warning: pts.yaml:20: the key y is read as "true", its value in YAML 1.1; write it in quotes.'],
  ],
  [
    'braces with a question mark',
    crd(' { x: { type: integer }, ? y : { type: integer } }'),
    ['warning: pts.yaml:18: the key y is read as "true", its value in YAML 1.1; write it in quotes.'],
  ],
  ['quotes', crd(block.replace('y:', '"y":')), []],
  ['a description', crd(block.replace('y: {', 'z: { description: "{y: 1}",')), []],
  ['another document', `${crd(block.replace('y:', 'z:'))}---\ndata: { y: 1 }\n`, []],
])('a key in %s', async (_, text, warnings) => {
  await project.put('pts.yaml', text);
  const { stderr, exitCode } = await project.import(['pts.yaml']);
  expect(stderr.split('\n').filter((line) => line.startsWith('warning: pts'))).toEqual(warnings);
  expect(exitCode).toBe(0);
});
