/** A template of `fieldwise init`: its files lie in the directory `templates` of the package, and this is the rest. */
export interface Template {
  /** Its files, in the order in which they are written. */
  readonly files: readonly string[];
  /** `app` of fieldwise.yaml; absent without a program. */
  readonly app?: string;
  /** Lines of fieldwise.yaml for the environment prod. */
  readonly prod?: readonly string[];
  /** npm scripts, by name; `typecheck` and `test` are those of all templates. */
  readonly scripts: Readonly<Record<string, string>>;
  /** Packages in addition to those of all templates. */
  readonly packages?: readonly string[];
  /** A paragraph of the README about the files. */
  readonly about: string;
}

/** The name of the app in the files of the templates, which the name of the project replaces. */
export const templateAppName = 'my-app';

const programScripts = scripts();

/** Returns the scripts that run commands of Fieldwise. */
function scripts(flags = ''): Readonly<Record<string, string>> {
  return Object.fromEntries(['synth', 'diff', 'deploy'].map((command) => [command, `fieldwise ${command}${flags}`]));
}

/** The templates by their names, the default first. */
export const templates = {
  app: {
    files: ['main.ts', 'hello.ts', 'hello.test.ts'],
    app: 'main.ts',
    scripts: programScripts,
    about: 'The program is main.ts. It declares the stack of hello.ts, which hello.test.ts tests on an API server of its own.',
  },
  operator: {
    files: ['crd.yaml', 'operator.ts', 'operator.test.ts', 'run.ts', 'installation.ts', 'main.ts'],
    app: 'main.ts',
    prod: [`    context: { image: "registry.example.com/${templateAppName}:1" } # the image of the operator, which runs run.ts`],
    scripts: { ...programScripts, start: 'tsx run.ts' },
    packages: ['tsx'],
    about:
      'operator.ts reconciles the custom resource of crd.yaml, and operator.test.ts tests it on an API server of its own. `npm start` runs it (run.ts) with your kubeconfig. The program main.ts deploys it (installation.ts): the CustomResourceDefinition, the RBAC rules and the Deployment of an image that you build.',
  },
  manifests: {
    files: ['manifests/web.yaml', 'manifests.test.ts'],
    scripts: scripts(` -f manifests --stack ${templateAppName}`),
    about: `The directory manifests is deployed as the stack ${templateAppName}, without a program. manifests.test.ts loads it into an API server of its own, which validates it. \`npx fieldwise destroy --stack ${templateAppName}\` deletes its objects again.`,
  },
  cdk8s: {
    files: ['main.ts', 'web.ts', 'web.test.ts'],
    app: 'main.ts',
    scripts: programScripts,
    packages: ['cdk8s-plus-33'],
    about:
      'The program is main.ts: a cdk8s program whose App is imported from fieldwise. It declares the chart of web.ts, which is deployed as a stack, and which web.test.ts tests on an API server of its own.',
  },
} satisfies Readonly<Record<string, Template>>;

/** The name of a template. */
export type TemplateName = keyof typeof templates;
