import type { Resource } from './discovery.js';

/** Resources that every server has under this version, so that they need no discovery. */
export const namespaces: Resource = { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };
export const customResourceDefinitions: Resource = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
