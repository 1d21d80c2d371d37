import { expect, test } from 'vitest';
import { ownersAt } from '../../../src/ownership/index.js';

const object = {
  apiVersion: 'v1',
  kind: 'Sample',
  metadata: {
    name: 'sample',
    managedFields: [
      entry('alice', { 'f:data': { 'f:app': {} }, 'f:list': {} }),
      entry('bob', { 'f:data': { 'f:app.yaml': {} }, 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } } }),
    ],
  },
  data: { app: '1', 'app.yaml': '2' },
  list: [{ name: 'first' }],
  ports: [{ port: 80, protocol: 'TCP', name: 'web' }],
};

function entry(manager: string, fieldsV1: object) {
  return { manager, operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: fieldsV1 as never };
}

test.each([
  { field: '.data.app', owners: ['alice'] },
  { field: '.data.app.yaml', owners: ['bob'] }, // not that of .data.app
  { field: '.data', owners: [] },
  { field: '.list', owners: ['alice'] },
  { field: '.list[0].name', owners: ['alice'] }, // owned as a whole
  { field: '.list[0].absent', owners: ['alice'] },
  { field: '.ports[port=80,protocol="TCP"]', owners: ['bob'] },
  { field: '.ports[port=80,protocol="TCP"].port', owners: ['bob'] },
  { field: '.ports[port=80,protocol="TCP"].name', owners: [] },
  { field: '.absent', owners: [] },
  { field: '.data.app.x', owners: [] }, // below a text
  { field: '.data.app[name="a"]', owners: [] },
])('$field is owned by $owners', ({ field, owners }) => {
  expect(ownersAt(object, field).map(({ manager }) => manager)).toEqual(owners);
});
