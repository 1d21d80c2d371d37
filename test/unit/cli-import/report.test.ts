import { afterEach, beforeEach, expect, test } from 'vitest';
import { ImportProject, linesOf, sharedGateway } from './import-program.js';

let project: ImportProject;
beforeEach(async () => {
  project = await ImportProject.make();
});
afterEach(() => project.remove());

const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: edge.example.com
  scope: Namespaced
  names: { kind: Gateway, plural: gateways }
  versions:
    - name: v1
      subresources: { status: {} }
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              required: [class]
              properties:
                class: { type: string }
                options: { type: object, additionalProperties: { type: string } }
                selector: { type: object, x-kubernetes-map-type: atomic, properties: { name: { type: string } } }
                args: { type: array, items: { type: string } }
                hosts: { type: array, x-kubernetes-list-type: set, items: { type: string } }
                listeners:
                  type: array
                  items:
                    type: object
                    required: [port]
                    properties:
                      port: { type: integer }
                      routes: { type: array, items: { type: object, properties: { note: { type: object } } } }
                      backends: { type: array, items: { type: object, properties: { name: { type: string } } } }
                peers:
                  type: array
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [port, protocol, zone]
                  items:
                    type: object
                    required: [port, weight]
                    properties:
                      port: { type: integer }
                      protocol: { type: string, default: TCP }
                      zone: { type: string }
                      weight: { type: integer }
                      tags: { type: array, x-kubernetes-list-type: set, items: { type: string } }
            status: { type: object, properties: { list: { type: array, items: { type: string } } } }
`;

test('a table of lists and maps by relation, and where sharing will hurt', async () => {
  await project.put('crd.yaml', crd);
  const { stdout } = await project.import(['crd.yaml', '--report']);
  expect(stdout).toBe(`Gateway edge.example.com/v1: 1 keyed lists, 2 sets, 2 atomic lists, 1 granular maps, 1 atomic maps

  Lists and maps by relation
    granular                       .spec.options       map of string
    atomic                         .spec.selector      map of object
    atomic                         .spec.args          list of string
    set                            .spec.hosts         list of string
    atomic                         .spec.listeners     list of object
    keyed by port, protocol, zone  .spec.peers         list of object
    set                            .spec.peers[].tags  list of string

  Atomic lists of objects: a stack that declares one replaces the entries of all others
    .spec.listeners             --list-type 'Gateway:.spec.listeners=map[port]', because port is required, and nothing else identifies an item
    .spec.listeners[].routes    no suggestion: the order of routes may carry meaning
    .spec.listeners[].backends  perhaps name, if the schema required it: name is optional

  Optional list keys: two items without the key are the same item
    .spec.peers  protocol  default "TCP"
    .spec.peers  zone      optional, no default

  Required fields beside fields of other owners: their owner cannot release them while others own fields beside them
    .spec          requires class   beside options, hosts, peers
    .spec.peers[]  requires weight  beside tags
`);
  expect(await project.files('imports')).toEqual([]);
});

test('the same as JSON, list types laid over included', async () => {
  await project.put('crd.yaml', sharedGateway);
  const { stdout } = await project.import(['crd.yaml', '--report', '-o', 'json', '--list-type', 'SharedGateway:.spec.args=set']);
  const kinds = linesOf(stdout);
  expect(kinds).toHaveLength(1);
  expect(kinds[0]).toMatchObject({
    event: 'kind',
    subject: 'SharedGateway edge.example.com/v1',
    shareable: [],
    weakKeys: [{ path: '.spec.listeners', key: 'protocol', default: '"TCP"' }],
  });
  expect(kinds[0].positions).toContainEqual({ path: '.spec.args', what: 'list', relation: 'set', keys: [], of: 'string' });
});

test('the built-in API has a report too', async () => {
  const { stdout } = await project.import(['k8s', '--report', '-o', 'json']);
  const kinds = linesOf(stdout);
  expect(kinds.length).toBeGreaterThan(50);
  const deployment = kinds.find(({ subject }: { subject: string }) => subject === 'Deployment apps/v1');
  expect(deployment.positions).toContainEqual({
    path: '.spec.template.spec.containers[].ports',
    what: 'list',
    relation: 'keyed',
    keys: ['containerPort', 'protocol'],
    of: 'object',
  });
  expect(deployment.weakKeys).toContainEqual({ path: '.spec.template.spec.containers[].ports', key: 'protocol', default: '"TCP"' });
});
