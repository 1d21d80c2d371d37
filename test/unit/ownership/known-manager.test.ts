import { expect, test } from 'vitest';
import { knownManager, type ManagerKey } from '../../../src/ownership/index.js';

const apply = (manager: string): ManagerKey => ({ manager, operation: 'Apply' });
const update = (manager: string, subresource = ''): ManagerKey => ({ manager, operation: 'Update', subresource });

test.each<[ManagerKey, tool: string, label: string | undefined]>([
  [update('kubectl-client-side-apply'), 'kubectl', 'kubectl apply'],
  [apply('kubectl'), 'kubectl', 'kubectl apply --server-side'],
  [update('kubectl'), 'kubectl', undefined],
  [update('kubectl', 'scale'), 'kubectl', undefined],
  [update('kubectl-edit'), 'kubectl', undefined],
  [apply('helm'), 'helm', 'Helm 4'],
  [update('helm'), 'helm', 'Helm'],
  [apply('kustomize-controller'), 'flux', 'Flux'],
  [update('helm-controller'), 'flux', 'Flux'],
  [apply('argocd-controller'), 'argo-cd', 'Argo CD'],
  [update('kube-controller-manager', 'scale'), 'kubernetes', 'HorizontalPodAutoscaler'],
  [update('kube-controller-manager', 'status'), 'kubernetes', 'controllers of Kubernetes'],
  [update('kube-controller-manager'), 'kubernetes', 'controllers of Kubernetes'],
  [update('before-first-apply'), 'server', 'fields from before the first apply'],
  [apply('pulumi-kubernetes-3f2a91bc'), 'pulumi', 'Pulumi'],
  [apply('Terraform'), 'terraform', 'Terraform'],
  [update('terraform-provider-helm_v2.9.0_x5'), 'terraform', 'Helm in Terraform'],
  [apply('apiextensions.crossplane.io/composed/4f1c'), 'crossplane', 'Crossplane'],
])('%o is known as %s', (owner, tool, label) => {
  const known = knownManager(owner);
  expect([known?.tool, known?.label]).toEqual([tool, label]);
  expect(known?.behavior).toMatch(/^[A-Z].*\.$/);
});

test.each([
  apply('team-a'),
  apply('Kubectl'),
  update('kubectl client'),
  update('helmfile'),
  apply('fieldwise/shop/default/web'),
  apply(''),
])('%o is not known', (owner) => expect(knownManager(owner)).toBeUndefined());
