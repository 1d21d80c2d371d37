import type { KubeconfigCase } from './kubeconfig-case.js';
import { trusted } from './parts.js';

const v1 = 'client.authentication.k8s.io/v1';
const v1beta1 = 'client.authentication.k8s.io/v1beta1';
const exec = (command: string, members: object = {}) => ({
  exec: { apiVersion: v1, command, interactiveMode: 'Never', ...members },
});
const ofExec = [/^api \| Bearer of-exec \|/];

const providerCases: readonly KubeconfigCase[] = [
  {
    name: 'EKS, as aws eks update-kubeconfig writes it',
    user: () => ({
      exec: {
        apiVersion: v1beta1,
        args: ['--region', 'eu-west-1', 'eks', 'get-token', '--cluster-name', 'prod', '--output', 'json'],
        command: 'aws',
        env: [{ name: 'AWS_PROFILE', value: 'prod' }],
      },
    }),
    works: true,
    seen: ofExec,
  },
  {
    name: 'EKS, as it was written once',
    user: () => ({ exec: { apiVersion: 'client.authentication.k8s.io/v1alpha1', command: 'aws', args: [], env: null } }),
    works: false,
    message: /apiVersion client\.authentication\.k8s\.io\/v1alpha1, which kubectl has not understood since version 1\.24/,
  },
  {
    name: 'GKE, as gcloud container clusters get-credentials writes it',
    user: () => ({
      exec: {
        apiVersion: v1beta1,
        command: 'gke-gcloud-auth-plugin',
        installHint: 'Install gke-gcloud-auth-plugin for use with kubectl',
        provideClusterInfo: true,
      },
    }),
    works: true,
    seen: ofExec,
  },
  {
    name: 'AKS with kubelogin',
    user: () => ({
      exec: {
        apiVersion: v1beta1,
        command: 'kubelogin',
        args: ['get-token', '--login', 'azurecli', '--server-id', '6dae42f8-4368-4678-94ff-3960e28e3630'],
        env: null,
        provideClusterInfo: false,
        installHint: 'kubelogin is not installed',
      },
    }),
    works: true,
    seen: ofExec,
  },
  {
    name: 'OpenShift with oc get-token',
    user: () => ({
      exec: {
        apiVersion: v1,
        command: 'oc',
        args: ['get-token', '--issuer-url=https://issuer.internal/realm', '--client-id=cli'],
        env: null,
        installHint: 'Please be sure that oc is defined in $PATH',
        interactiveMode: 'IfAvailable',
        provideClusterInfo: false,
      },
    }),
    works: true,
    seen: ofExec,
  },
  {
    name: 'OpenShift with oc login',
    user: () => ({ token: 'of-kubeconfig' }),
    cluster: ({ ports }) => ({ server: `https://127.0.0.1:${ports.tls}`, 'insecure-skip-tls-verify': true }),
    works: true,
  },
  {
    name: 'Teleport, as tsh kube login writes it',
    cluster: (world) => ({ ...trusted(world), 'tls-server-name': 'kube-teleport-proxy.internal' }),
    user: () => ({
      exec: {
        apiVersion: v1beta1,
        command: 'tsh',
        args: ['kube', 'credentials', '--kube-cluster=prod', '--teleport-cluster=example.com', '--proxy=example.com:443'],
        env: null,
        provideClusterInfo: false,
      },
    }),
    works: true,
    seen: ofExec,
  },
  {
    name: 'kubelogin as a plugin of kubectl',
    user: () => ({
      exec: {
        apiVersion: v1,
        command: 'kubectl-oidc_login',
        args: ['get-token', '--oidc-issuer-url=https://issuer.internal/realm'],
        interactiveMode: 'IfAvailable',
      },
    }),
    works: true,
    seen: ofExec,
  },
];

export const execCases: readonly KubeconfigCase[] = [
  ...providerCases,
  {
    name: 'exec by a path relative to the kubeconfig',
    user: () => exec('./bin/own'),
    files: () => ({ 'bin/own': '#!/bin/sh\nexec plugin\n' }),
    works: true,
    seen: ofExec,
  },
  {
    name: 'exec with the cluster and its extension',
    cluster: (world) => ({
      ...trusted(world),
      extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'prod' } }],
    }),
    user: () => exec('plugin-needs-cluster', { provideClusterInfo: true }),
    works: true,
    seen: ofExec,
  },
  {
    name: 'exec without the cluster',
    user: () => exec('plugin-needs-cluster'),
    works: false,
    message: /the command plugin-needs-cluster failed with exit code 4/,
  },
  {
    name: 'exec that prints a certificate',
    user: () => exec('plugin-certificate', { args: ['a.crt', 'a.key'] }),
    files: ({ certificates: { alice } }) => ({ 'a.crt': alice.cert, 'a.key': alice.key }),
    works: true,
    seen: [/^api \| anonymous \| alice$/],
  },
  {
    name: 'exec beside a token',
    user: () => ({ token: 'of-kubeconfig', ...exec('plugin-fails') }),
    works: true,
    seen: [/Bearer of-kubeconfig/],
  },
  { name: 'exec whose credential has expired', user: () => exec('plugin-expired'), works: true, seen: ofExec },
  {
    name: 'exec whose first credential is refused',
    user: () => exec('plugin-refused-first'),
    works: true,
    seen: ofExec,
    unlike: 'kubectl runs the command again, and fails nevertheless.',
  },
  {
    name: 'exec that is not installed',
    user: () => exec('plugin-nope', { installHint: 'Install it from example.com' }),
    works: false,
    message: /the command plugin-nope of the kubeconfig is not installed.*The kubeconfig says: "Install it from example\.com"\./,
  },
  {
    name: 'exec that is not installed, with a hint of several lines',
    user: () => exec('plugin-nope', { installHint: 'Install it:\n\n  brew install nope\n  nope login\n' }),
    works: false,
    message:
      /is not installed.*Run the command again once it is; the kubeconfig says: \| Install it: \| brew install nope \| nope login\. \[authentication-failed\]/,
  },
  {
    name: 'exec that fails',
    user: () => exec('plugin-fails'),
    works: false,
    message: /Your session has expired[\s\S]*the command plugin-fails failed with exit code 5/,
  },
  {
    name: 'exec that prints nothing',
    user: () => exec('plugin-prints-nothing'),
    works: false,
    message: /the command plugin-prints-nothing prints no credential/,
  },
  {
    name: 'exec that prints a text',
    user: () => exec('plugin-prints-text'),
    works: false,
    message: /the command plugin-prints-text prints no credential: the content is neither JSON nor YAML with members/,
  },
  ...['plugin-yaml', 'plugin-yaml-document', 'plugin-yaml-flow', 'plugin-yaml-expired'].map((command) => ({
    name: `exec that prints YAML: ${command}`,
    user: () => exec(command),
    works: true,
    seen: ofExec,
  })),
  ...['plugin-yaml-braces', 'plugin-yaml-broken'].map((command) => ({
    name: `exec that prints broken YAML: ${command}`,
    user: () => exec(command),
    works: false,
    message: /prints no credential: the content is neither JSON nor YAML/,
  })),
  {
    name: 'exec that prints YAML with a number as token',
    user: () => exec('plugin-yaml-number'),
    works: false,
    message: /the command plugin-yaml-number prints a token that is not a text/,
  },
  {
    name: 'exec that prints another version',
    user: () => exec('plugin-prints-other-version'),
    works: false,
    message:
      /prints ExecCredential client\.authentication\.k8s\.io\/v1beta1, and the kubeconfig asks for ExecCredential client\.authentication\.k8s\.io\/v1/,
  },
  {
    name: 'exec that prints no token',
    user: () => exec('plugin-prints-no-token'),
    works: false,
    message: /prints neither a token nor a certificate/,
  },
  {
    name: 'exec without interactiveMode',
    user: () => exec('plugin', { interactiveMode: undefined }),
    works: false,
    message: /user c .*exec with no interactiveMode/,
  },
  {
    name: 'exec that must ask questions, without a terminal',
    user: () => exec('plugin', { interactiveMode: 'Always' }),
    works: false,
    message: /command plugin asks questions \(interactiveMode: Always\), and the standard input is not a terminal/,
  },
  {
    name: 'exec without a command',
    user: () => ({ exec: { apiVersion: v1, interactiveMode: 'Never' } }),
    works: false,
    message: /user c .*exec without command/,
  },
  {
    name: 'exec beside an auth-provider',
    user: () => ({ ...exec('plugin'), 'auth-provider': { name: 'oidc', config: {} } }),
    works: false,
    message: /user c .*has both exec and auth-provider/,
  },
];
