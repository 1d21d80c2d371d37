import type { KubectlScenario } from '../scenario.js';

const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ships.custom.example.com }
spec:
  group: custom.example.com
  names: { plural: ships, singular: ship, kind: Ship, shortNames: [shp], categories: [all, fleet] }
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {}, scale: { specReplicasPath: .spec.size, statusReplicasPath: .status.size } }
      additionalPrinterColumns:
        - { name: Size, type: integer, jsonPath: .spec.size, description: The size }
        - { name: Port, type: string, jsonPath: .spec.port, priority: 1 }
        - { name: Sails, type: boolean, jsonPath: .spec.sails }
        - { name: Built, type: date, jsonPath: .spec.built }
        - { name: Age, type: date, jsonPath: .metadata.creationTimestamp }
      selectableFields: [{ jsonPath: .spec.port }]
      schema:
        openAPIV3Schema:
          description: A ship
          type: object
          properties:
            spec:
              type: object
              required: [size]
              properties:
                size: { type: integer, minimum: 1, description: How large }
                port: { type: string, enum: [north, south] }
                sails: { type: boolean }
                built: { type: string, format: date-time }
            status: { type: object, properties: { size: { type: integer } } }
`;

const ship = (name: string, spec: string) => `apiVersion: custom.example.com/v1
kind: Ship
metadata: { name: ${name} }
spec: ${spec}
`;

/** Definitions, and objects of theirs. */
export const custom: readonly KubectlScenario[] = [
  {
    name: 'custom-objects',
    files: {
      'crd.yaml': definition,
      'ships.yaml': [ship('one', '{ size: 3, port: north, sails: true }'), ship('two', '{ size: 5 }')].join('---\n'),
      'small.yaml': ship('small', '{ size: 0 }'),
      'none.yaml': ship('none', '{}'),
      'unknown.yaml': ship('unknown', '{ size: 1, colour: red, colour: blue }'),
      'bigger.yaml': ship('one', '{ size: 4 }'),
    },
    steps: [
      'create -f crd.yaml',
      'wait crd/ships.custom.example.com --for=condition=Established --timeout=10s',
      'get crd ships.custom.example.com',
      'api-resources --api-group=custom.example.com',
      'create -f ships.yaml',
      'get ships',
      'get shp -o wide',
      'get fleet -o name',
      'get ship one -o yaml',
      'get ships --field-selector spec.port=north',
      'get ships --field-selector spec.size=3',
      'get ships -l a=b',
      'describe ship one',
      'explain ship.spec',
      'explain ship --recursive',
      'create -f small.yaml',
      'create -f none.yaml',
      'create -f unknown.yaml',
      'create -f unknown.yaml --validate=warn',
      'scale ship one --replicas=7',
      'get ship one --subresource=scale',
      `patch ship one --subresource=status --type=merge -p '{"status":{"size":7}}'`,
      `patch ship one -p '{"spec":{"size":8}}'`,
      'apply -f bigger.yaml',
      'apply --server-side -f bigger.yaml --force-conflicts',
      'label ship one a=b',
      'get ship one -o yaml --show-managed-fields',
      { run: 'get ships -w', seconds: 3, beside: ['label ship two c=d'] },
      'delete ship two',
      'delete -f crd.yaml --wait=false',
    ],
  },
  {
    name: 'custom-invalid',
    files: {
      'name.yaml': definition.replace('name: ships.custom', 'name: boats.custom'),
      'schema.yaml': definition.replaceAll('custom.example.com', 'other.example.com').replace('type: integer, minimum: 1', 'minimum: 1'),
      'version.yaml': definition.replaceAll('custom.example.com', 'third.example.com').replace('storage: true', 'storage: false'),
    },
    steps: ['create -f name.yaml', 'create -f schema.yaml', 'create -f version.yaml', 'get crd ships.other.example.com'],
  },
];
