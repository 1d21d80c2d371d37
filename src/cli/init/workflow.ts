import type { ProjectShape } from './project-shape.js';

/** The file of the workflow. GitHub reads it at the root of a repository. */
export const workflowFile = '.github/workflows/fieldwise.yml';

/** Returns a workflow of GitHub Actions: checks, a plan, and on main a deploy of this plan. No step prints a secret. */
export function workflow({ scripts, environment, template, packages, variables }: WorkflowShape): string {
  const chosen = environment === undefined ? '' : ` -e ${environment}`;
  const place = environment ?? 'the cluster';
  const run = (script: string, words = '') => {
    const name = scripts[script];
    return name === undefined ? '' : `      - run: ${packages.run(name, words)}\n`;
  };
  const install = `      - uses: actions/checkout@v4
        with: { persist-credentials: false }
${packages.steps}`;
  const job = (name: string, lines: readonly string[]) =>
    `  ${name}:\n${lines.map((line) => `    ${line}\n`).join('')}    runs-on: ubuntu-latest\n    timeout-minutes: 30\n    steps:\n${install}`;
  return `# Checks each change, and shows on pull requests what a deploy to ${place} would change. On the branch main, plans, saves the plan, and deploys
# exactly this plan to ${place}: if a field or an owner in it has changed meanwhile, the deploy refuses (plan-outdated).
# Secrets, each the content of a kubeconfig whose user has no more rights than needed:
# - KUBECONFIG_READ_ONLY of the repository: the rights that \`npx fieldwise rbac${chosen} --read-only\` prints
# - KUBECONFIG of the GitHub environment ${environment ?? 'prod'}: the rights that \`npx fieldwise rbac${chosen}\` prints
${variables
  .map(
    (
      name,
    ) => `# - ${name} of the GitHub environment ${environment ?? 'prod'}: a value that the program reads with fromEnv. A plan does without, and leaves the field as it is.
`,
  )
  .join('')}name: fieldwise

on:
  pull_request:
  push:
    branches: [main]

permissions:
  contents: read

jobs:
${job('check', [])}${run('typecheck')}${run('test')}${scripts.test === undefined ? '' : testEnv(variables)}${run('synth', chosen.trim())}
${job('plan', [
  'needs: check',
  'permissions: { contents: read, pull-requests: write } # for the comment',
  `env: { IS_FORK: "\${{ github.event_name == 'pull_request' && github.event.pull_request.head.repo.full_name != github.repository }}" }`,
  'outputs:',
  `  artifact: \${{ steps.plan.outputs.artifact }}`,
  `  digest: \${{ steps.plan.outputs.digest }}`,
])}${planSteps(environment, template)}
${job('deploy', ['needs: plan', "if: github.event_name == 'push'", `environment: ${environment ?? 'prod'}`, `concurrency: fieldwise-${environment ?? 'prod'}`])}${kubeconfigStep(
  'KUBECONFIG',
)}      - uses: actions/download-artifact@v4
        with: { name: "\${{ needs.plan.outputs.artifact }}" }
      - run: ${packages.run(scripts.deploy ?? '', `${chosen} --plan plan.json --plan-digest "$DIGEST"`.trim())}
${kubeconfigEnv}          DIGEST: \${{ needs.plan.outputs.digest }}
${variablesEnv(variables)}`;
}

type WorkflowShape = Pick<ProjectShape, 'scripts' | 'environment' | 'template' | 'packages' | 'variables'>;

const kubeconfigEnv = `        env:
          KUBECONFIG: \${{ runner.temp }}/kubeconfig
`;

/** Gives a test some value for each variable: its server is gone afterwards. The comment shows how, where the program reads none yet. */
function testEnv(variables: readonly string[]): string {
  if (variables.length > 0)
    return `        env: # any value does for a test\n${variables.map((name) => `          ${name}: any\n`).join('')}`;
  return `        # env: { DB_PASSWORD: any } # any value for each variable that the program reads with fromEnv\n`;
}

/** Gives the values of Secrets to the step that deploys; the comment shows how, where the program reads none yet. */
function variablesEnv(variables: readonly string[]): string {
  const line = (name: string) => `${name}: \${{ secrets.${name} }}\n`;
  if (variables.length > 0) return variables.map((name) => `          ${line(name)}`).join('');
  return `          # Each variable that the program reads with fromEnv; a plan does without, and leaves the field as it is:\n          # ${line('DB_PASSWORD')}`;
}

function kubeconfigStep(secret: string, condition = ''): string {
  return `      - name: Write the kubeconfig
${condition}        run: umask 077 && printf '%s' "$CONTENT" > "$RUNNER_TEMP/kubeconfig"
        env:
          CONTENT: \${{ secrets.${secret} }}
`;
}

/** The action is that of the installed package, so that both have one version. */
function planSteps(environment: string | undefined, { scripts }: WorkflowShape['template']): string {
  const words = scripts.diff?.split(' ').slice(2) ?? [];
  const command = ['npx fieldwise snapshot', ...words, ...(environment === undefined ? [] : ['-e', environment])].join(' ');
  const inputs = [
    ...(environment === undefined ? [] : [`environment: ${environment}`]),
    ...(words.length === 0 ? [] : [`flags: ${JSON.stringify(words.join('\n'))}`]),
  ];
  const step = (condition: string, own: readonly string[], id = '') => `      - uses: ./node_modules/fieldwise
${id}        if: ${JSON.stringify(condition)}
        with:
${[...inputs, ...own].map((line) => `          ${line}\n`).join('')}`;
  const isOwn = "env.IS_FORK == 'false'";
  return [
    kubeconfigStep('KUBECONFIG_READ_ONLY', `        if: ${JSON.stringify(isOwn)}\n`),
    '      # On main, a risky plan fails here, and nothing is deployed: one that takes, releases or deletes something, or changes rights, privileges of\n',
    '      # pods, selectors, or replicas to 0. Review it in the summary of this job, and run the command that stands there. If the GitHub environment of\n',
    '      # the deploy requires reviewers, they see the plan first: then write blocked in place of risky.\n',
    step(isOwn, ['read-only: true', `fail-on: \${{ github.event_name == 'push' && 'risky' || 'blocked' }}`], '        id: plan\n'),
    kubeconfigEnv,
    '      # Pull requests from forks have no secrets. They are planned offline if the repository contains what\n',
    `      # \`${command}\` wrote.\n`,
    step(`env.IS_FORK == 'true' && hashFiles('fieldwise-snapshot.json') != ''`, ['snapshot: fieldwise-snapshot.json']),
  ].join('');
}
