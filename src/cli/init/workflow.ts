import type { ProjectShape } from './project-shape.js';

/** The file of the workflow. GitHub reads it at the root of a repository. */
export const workflowFile = '.github/workflows/fieldwise.yml';

/** Returns a workflow of GitHub Actions: checks, a plan on pull requests, a deploy of main. No step prints a secret. */
export function workflow({ scripts, subdirectory, environment, template }: WorkflowShape): string {
  const chosen = environment === undefined ? '' : ` -e ${environment}`;
  const place = environment ?? 'the cluster';
  const below = subdirectory === '' ? '' : `\ndefaults:\n  run:\n    working-directory: ${JSON.stringify(subdirectory)}\n`;
  const lockFile = subdirectory === '' ? '' : `, cache-dependency-path: ${JSON.stringify(`${subdirectory}/package-lock.json`)}`;
  const run = (script: string, words = '') => (scripts[script] === undefined ? '' : `      - run: npm run ${scripts[script]}${words}\n`);
  const install = `      - uses: actions/checkout@v4
        with: { persist-credentials: false }
      - uses: actions/setup-node@v4
        with: { node-version: 22, cache: npm${lockFile} }
      - run: npm ci
`;
  const job = (name: string, lines: readonly string[]) =>
    `  ${name}:\n${lines.map((line) => `    ${line}\n`).join('')}    runs-on: ubuntu-latest\n    timeout-minutes: 30\n    steps:\n${install}`;
  return `# Checks each change, shows on pull requests what a deploy to ${place} would change, and deploys the branch main to ${place}.
# Secrets, each the content of a kubeconfig whose user has no more rights than needed:
# - KUBECONFIG_READ_ONLY of the repository: the rights that \`npx fieldwise rbac${chosen} --read-only\` prints
# - KUBECONFIG of the GitHub environment ${environment ?? 'prod'}: the rights that \`npx fieldwise rbac${chosen}\` prints
name: fieldwise

on:
  pull_request:
  push:
    branches: [main]

permissions:
  contents: read
${below}
jobs:
${job('check', [])}${run('typecheck')}${run('test')}${run('synth', chosen === '' ? '' : ` --${chosen}`)}
${job('diff', [
  'needs: check',
  "if: github.event_name == 'pull_request'",
  'permissions: { contents: read, pull-requests: write } # for the comment',
  `env: { IS_FORK: "\${{ github.event.pull_request.head.repo.full_name != github.repository }}" }`,
])}${planSteps(subdirectory, environment, template)}
${job('deploy', ['needs: check', "if: github.event_name == 'push'", `environment: ${environment ?? 'prod'}`, `concurrency: fieldwise-${environment ?? 'prod'}`])}${kubeconfigStep(
  'KUBECONFIG',
)}      - run: npm run ${scripts.deploy}${chosen === '' ? '' : ` --${chosen}`}
${kubeconfigEnv}      # A deploy that deletes or releases asks first, and nobody answers here: then it changes nothing and fails. After a review of the
      # plan, run it by hand, or set \`prune: true\` in fieldwise.yaml.
`;
}

type WorkflowShape = Pick<ProjectShape, 'scripts' | 'subdirectory' | 'environment' | 'template'>;

const kubeconfigEnv = `        env:
          KUBECONFIG: \${{ runner.temp }}/kubeconfig
`;

function kubeconfigStep(secret: string, condition = ''): string {
  return `      - name: Write the kubeconfig
${condition}        run: umask 077 && printf '%s' "$CONTENT" > "$RUNNER_TEMP/kubeconfig"
        env:
          CONTENT: \${{ secrets.${secret} }}
`;
}

/** The action is that of the installed package, so that both have one version. */
function planSteps(subdirectory: string, environment: string | undefined, { scripts }: WorkflowShape['template']): string {
  const inRepository = (file: string) => (subdirectory === '' ? file : `${subdirectory}/${file}`);
  const words = scripts.diff?.split(' ').slice(2) ?? [];
  const command = ['npx fieldwise snapshot', ...words, ...(environment === undefined ? [] : ['-e', environment])].join(' ');
  const inputs = [
    ...(environment === undefined ? [] : [`environment: ${environment}`]),
    ...(subdirectory === '' ? [] : [`working-directory: ${JSON.stringify(subdirectory)}`]),
    ...(words.length === 0 ? [] : [`flags: ${JSON.stringify(words.join('\n'))}`]),
  ];
  const step = (condition: string, own: string) => `      - uses: ${JSON.stringify(`./${inRepository('node_modules/fieldwise')}`)}
        if: ${JSON.stringify(condition)}
        with:
${[...inputs, own].map((line) => `          ${line}\n`).join('')}`;
  const isOwn = "env.IS_FORK == 'false'";
  const snapshot = inRepository('fieldwise-snapshot.json').replaceAll("'", "''");
  return [
    kubeconfigStep('KUBECONFIG_READ_ONLY', `        if: ${JSON.stringify(isOwn)}\n`),
    step(isOwn, 'read-only: true'),
    kubeconfigEnv,
    '      # Pull requests from forks have no secrets. They are planned offline if the repository contains what\n',
    `      # \`${command}\` wrote.\n`,
    step(`env.IS_FORK == 'true' && hashFiles('${snapshot}') != ''`, 'snapshot: fieldwise-snapshot.json'),
  ].join('');
}
