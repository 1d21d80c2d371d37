import type { Subject } from './mistake.js';

const members = (usages: string, algorithm: string) => `
  spec: {
    secretName: 'web-tls',
    duration: '2160h',
    dnsNames: ['example.com'],
    usages: [${usages}],
    issuerRef: { name: 'ca', kind: 'Issuer' },
    privateKey: { algorithm: ${algorithm}, size: 2048 },
  },`;

export const certificate: Subject = {
  kind: 'Certificate',
  crd: 'cert-manager.io/certificates',
  programs: {
    literal: `import type { CertificateApply } from './ours/cert-manager.io/v1.js';
export const made: CertificateApply = {
  metadata: { name: 'web' },${members("'server auth'", "'RSA'")}
};
`,
    builder: `import { certificate, certificateSpec } from './ours/cert-manager.io/v1.js';
export const made = certificate('web').withSpec(
  certificateSpec()
    .withSecretName('web-tls')
    .withDuration('2160h')
    .withIssuerRef({ name: 'ca', kind: 'Issuer' })
    .withPrivateKey({ algorithm: 'RSA', size: 2048 }),
);
`,
    cdk8s: `import { Chart } from 'cdk8s';
import { Certificate, CertificateSpecPrivateKeyAlgorithm, CertificateSpecUsages } from './cdk8s/cert-manager.io';
export const made = new Certificate(new Chart(undefined as never, 'chart'), 'web', {
  metadata: { name: 'web' },${members('CertificateSpecUsages.SIGNING', 'CertificateSpecPrivateKeyAlgorithm.RSA')}
});
`,
    'kubernetes-models': `import type { ICertificate } from './models/cert-manager.io/v1/Certificate';
export const made: ICertificate = {
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  metadata: { name: 'web' },${members("'server auth'", "'RSA'")}
};
`,
  },
  mistakes: [
    {
      what: 'the singular for the plural',
      field: 'dnsName',
      meant: 'dnsNames',
      change: ["dnsNames: ['example.com']", "dnsName: ['example.com']"],
      ways: { builder: ['.withDuration(', ".withDnsName(['example.com']).withDuration("] },
    },
    { what: 'a string for a list', field: 'dnsNames', change: ["dnsNames: ['example.com']", "dnsNames: 'example.com'"] },
    {
      what: 'a method of an atomic list, guessed',
      field: 'withDnsNames',
      meant: 'withDnsNames',
      guess: true,
      ways: { builder: ['.withDuration(', ".withDnsNames(['example.com']).withDuration("] },
    },
    { what: 'a typo in an object in spec', field: 'nmae', meant: 'name', change: ["{ name: 'ca'", "{ nmae: 'ca'"] },
    {
      what: 'a value that the enum does not have',
      field: 'algorithm',
      meant: 'RSA',
      change: ["algorithm: 'RSA'", "algorithm: 'RSAA'"],
      ways: { cdk8s: ['Algorithm.RSA,', 'Algorithm.RSAA,'] },
    },
    {
      what: 'a number for a string',
      field: 'duration',
      change: ["duration: '2160h'", 'duration: 2160'],
      ways: { builder: ["withDuration('2160h')", 'withDuration(2160)'] },
    },
    {
      what: 'fields of spec at the root',
      field: 'secretName',
      change: ["metadata: { name: 'web' },", "metadata: { name: 'web' },\n  secretName: 'web-tls',"],
      ways: { builder: ["certificate('web').withSpec(", "certificate('web').withSecretName('web-tls').withSpec("] },
    },
    {
      what: 'snake case',
      field: 'secret_name',
      meant: 'secretName',
      change: ["secretName: 'web-tls'", "secret_name: 'web-tls'"],
      ways: { builder: ['withSecretName(', 'with_secret_name('] },
    },
  ],
};
