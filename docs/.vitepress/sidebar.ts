import type { DefaultTheme } from 'vitepress';

/** The bar at the top. */
export const navigation: DefaultTheme.NavItem[] = [
  { text: 'Start', link: '/getting-started' },
  { text: 'Concepts', link: '/concepts/ownership' },
  { text: 'Tutorial', link: '/tutorial' },
  { text: 'How-to', link: '/how-to/environments', activeMatch: '/how-to/' },
  { text: 'Coming from', link: '/coming-from/', activeMatch: '/coming-from/' },
  { text: 'Reference', link: '/reference/cli', activeMatch: '/reference/' },
];

/** All pages, in the order in which a newcomer reads them. */
export const sidebar: DefaultTheme.SidebarItem[] = [
  {
    text: 'Start',
    items: [
      { text: 'Getting started', link: '/getting-started' },
      { text: 'Tutorial: a shop', link: '/tutorial' },
      { text: 'FAQ', link: '/faq' },
      { text: 'Troubleshooting', link: '/troubleshooting' },
      { text: 'Compared', link: '/compared' },
      { text: 'Performance', link: '/performance' },
    ],
  },
  {
    text: 'Concepts',
    items: [
      { text: 'Ownership in forty lines', link: '/concepts/ownership' },
      { text: 'Field managers', link: '/concepts/field-managers' },
      { text: 'Own and share', link: '/concepts/own-and-share' },
      { text: 'Release', link: '/concepts/release' },
      { text: 'Conflicts and takeover', link: '/concepts/takeover' },
      { text: 'List types', link: '/concepts/list-types' },
      { text: 'Instances', link: '/concepts/instances' },
      { text: 'Inventory', link: '/concepts/inventory' },
      { text: 'Glossary', link: '/glossary' },
    ],
  },
  {
    text: 'How-to',
    items: [
      { text: 'Environments', link: '/how-to/environments' },
      { text: 'CI on GitHub', link: '/how-to/ci-github' },
      { text: 'CI on GitLab', link: '/how-to/ci-gitlab' },
      { text: 'Secrets', link: '/how-to/secrets' },
      { text: 'Testing', link: '/how-to/testing' },
      { text: 'Multi-team clusters', link: '/how-to/multi-team' },
      { text: 'Least privilege', link: '/how-to/least-privilege' },
      { text: 'Rename without loss', link: '/how-to/rename' },
      { text: 'Roll back', link: '/how-to/rollback' },
    ],
  },
  {
    text: 'Coming from',
    collapsed: true,
    items: [
      { text: 'Overview', link: '/coming-from/' },
      { text: 'cdk8s', link: '/coming-from/cdk8s' },
      { text: 'cdk8s-plus', link: '/coming-from/cdk8s-plus' },
      { text: 'CDKTF', link: '/coming-from/cdktf' },
      { text: 'Pulumi', link: '/coming-from/pulumi' },
      { text: 'Helm', link: '/coming-from/helm' },
      { text: 'kubectl', link: '/coming-from/kubectl' },
      { text: 'ApplySets', link: '/coming-from/applysets' },
      { text: 'Kustomize', link: '/coming-from/kustomize' },
      { text: 'Argo CD', link: '/coming-from/argo-cd' },
      { text: 'Flux', link: '/coming-from/flux' },
      { text: 'Crossplane', link: '/coming-from/crossplane' },
    ],
  },
  {
    text: 'Guides',
    collapsed: true,
    items: [
      { text: 'Deploying', link: '/deploy' },
      { text: 'Environments', link: '/environments' },
      { text: 'Documents without a program', link: '/documents' },
      { text: 'Plans', link: '/diff' },
      { text: 'Formats of plans and deploys', link: '/formats' },
      { text: 'Rules over plans', link: '/rules' },
      { text: 'Admission policies', link: '/policies' },
      { text: 'Owners and drift', link: '/owners' },
      { text: 'Conflicts of other tools', link: '/explain' },
      { text: 'Adopting and transferring', link: '/adopt' },
      { text: 'Merge strategies', link: '/strategies' },
      { text: 'Next to other tools', link: '/coexistence' },
      { text: 'List types for authors of CRDs', link: '/list-types' },
      { text: 'Builders and literals', link: '/builders' },
      { text: 'Typed builders', link: '/codegen' },
      { text: 'Tests', link: '/testing' },
      { text: 'Embedded API server', link: '/embedded' },
      { text: 'Operators and controllers', link: '/controller' },
      { text: 'Deploying from code', link: '/api' },
      { text: 'Server-side apply as a library', link: '/ssa' },
    ],
  },
  {
    text: 'Reference',
    items: [
      { text: 'Command line', link: '/reference/cli' },
      { text: 'Configuration', link: '/reference/configuration' },
      { text: 'Environment variables', link: '/reference/environment-variables' },
      // Written by typedoc beside the pages.
      { text: 'Library', link: '/api-reference/index.html', target: '_self' },
      { text: 'Errors and warnings', link: '/errors' },
      { text: 'Traps of server-side apply', link: '/traps' },
      { text: 'Events and reports', link: '/deploy#events-and-reports' },
      { text: 'Permissions', link: '/rbac' },
      { text: 'Guards', link: '/guard' },
      { text: 'Decisions', link: '/decisions/' },
    ],
  },
];
