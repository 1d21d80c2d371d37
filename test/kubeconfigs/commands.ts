/** Commands of cloud providers as they are called by the kubeconfigs that they write: each prints a token only for the arguments it expects. */

const credential = (version: string, token: string) =>
  JSON.stringify({ kind: 'ExecCredential', apiVersion: `client.authentication.k8s.io/${version}`, status: { token } });

const yamlCredential = (status: string) => `apiVersion: client.authentication.k8s.io/v1
kind: ExecCredential
status:
  ${status}`;

/** Returns a script that notes its KUBERNETES_EXEC_INFO and prints something, if its arguments and environment are those. */
function script(output: string, condition = 'true'): string {
  return `#!/bin/sh
printf '%s\\n' "$KUBERNETES_EXEC_INFO" >> "$EXEC_LOG"
if ${condition}; then cat <<'END'
${output}
END
else echo "unexpected arguments: $*" >&2; exit 3; fi
`;
}

const argumentsAre = (text: string) => `[ "$*" = "${text}" ]`;

export const commands: Readonly<Record<string, string>> = {
  aws: script(
    credential('v1beta1', 'of-exec'),
    `${argumentsAre('--region eu-west-1 eks get-token --cluster-name prod --output json')} && [ "$AWS_PROFILE" = prod ]`,
  ),
  'gke-gcloud-auth-plugin': script(credential('v1beta1', 'of-exec'), argumentsAre('')),
  kubelogin: script(
    credential('v1beta1', 'of-exec'),
    argumentsAre('get-token --login azurecli --server-id 6dae42f8-4368-4678-94ff-3960e28e3630'),
  ),
  oc: script(credential('v1', 'of-exec'), argumentsAre('get-token --issuer-url=https://issuer.internal/realm --client-id=cli')),
  gcloud: script(
    JSON.stringify({ credential: { access_token: 'of-exec', token_expiry: '2999-01-01T00:00:00Z' } }),
    argumentsAre('config config-helper --format=json'),
  ),
  tsh: script(
    credential('v1beta1', 'of-exec'),
    argumentsAre('kube credentials --kube-cluster=prod --teleport-cluster=example.com --proxy=example.com:443'),
  ),
  'kubectl-oidc_login': script(credential('v1', 'of-exec'), argumentsAre('get-token --oidc-issuer-url=https://issuer.internal/realm')),
  plugin: script(credential('v1', 'of-exec')),
  'plugin-v1beta1': script(credential('v1beta1', 'of-exec')),
  // An expired credential first, and another one then.
  'plugin-expired': `#!/bin/sh
printf '%s\\n' "$KUBERNETES_EXEC_INFO" >> "$EXEC_LOG"
echo '${JSON.stringify({ kind: 'ExecCredential', apiVersion: 'client.authentication.k8s.io/v1', status: { token: 'of-exec', expirationTimestamp: '2020-01-01T00:00:00Z' } })}'
`,
  'plugin-refused-first': `#!/bin/sh
if [ -e "$EXEC_LOG" ]; then token=of-exec; else token=revoked; fi
printf '%s\\n' "$KUBERNETES_EXEC_INFO" >> "$EXEC_LOG"
echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"'$token'"}}'
`,
  'plugin-needs-cluster': `#!/bin/sh
printf '%s\\n' "$KUBERNETES_EXEC_INFO" >> "$EXEC_LOG"
case "$KUBERNETES_EXEC_INFO" in *'"server":"https://'*'"audience":"prod"'*) echo '${credential('v1', 'of-exec')}' ;; *) exit 4 ;; esac
`,
  'plugin-fails': '#!/bin/sh\necho "Your session has expired. Run: sso login" >&2\nexit 5\n',
  'plugin-prints-nothing': '#!/bin/sh\n',
  'plugin-yaml': script(yamlCredential('token: of-exec\n  expirationTimestamp: 2999-01-01T00:00:00Z')),
  'plugin-yaml-document': script(`# of a script\n---\n${yamlCredential('token: other\n  token: "of-exec"')}\n---\nkind: Other`),
  'plugin-yaml-flow': script('\ufeff{ kind: ExecCredential, apiVersion: client.authentication.k8s.io/v1, status: { token: of-exec } }'),
  'plugin-yaml-braces': script('{ kind: ExecCredential, apiVersion: client.authentication.k8s.io/v1, status: { token: secret-token } }'),
  'plugin-yaml-number': script(yamlCredential('token: 12345')),
  'plugin-yaml-broken': script(`${yamlCredential('token: "secret-token')}`),
  'plugin-yaml-expired': script(yamlCredential('token: of-exec\n  expirationTimestamp: 2020-01-01T00:00:00Z')),
  'plugin-prints-text': '#!/bin/sh\necho secret-token\n',
  'plugin-prints-other-version': `#!/bin/sh\necho '${credential('v1beta1', 'of-exec')}'\n`,
  'plugin-prints-no-token': '#!/bin/sh\necho \'{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{}}\'\n',
  // Prints the certificate and key of the files that it is given.
  'plugin-certificate': `#!/bin/sh
json() { sed 's/$/\\\\n/' "$1" | tr -d '\\n'; }
printf '%s' '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"clientCertificateData":"'"$(json "$1")"'","clientKeyData":"'"$(json "$2")"'"}}'
`,
};
