/** The templates of `fieldwise init`, the default first. */
export const templateNames = ['app', 'operator', 'manifests', 'cdk8s'] as const;

/** The name of a template. */
export type TemplateName = (typeof templateNames)[number];

/** The files of a program and how npm runs them. */
export interface Template {
  /** The program and its tests, by path. Imports between them have no directory above. */
  readonly files: Readonly<Record<string, string>>;
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

/** Returns a template for an app of this name. */
export async function loadTemplate(template: TemplateName, name: string): Promise<Template> {
  const load = {
    app: async () => (await import('./templates/app.js')).appTemplate,
    operator: async () => (await import('./templates/operator.js')).operatorTemplate,
    manifests: async () => (await import('./templates/manifests.js')).manifestsTemplate,
    cdk8s: async () => (await import('./templates/cdk8s.js')).cdk8sTemplate,
  }[template];
  return (await load())(name);
}

/** The scripts of a template with a program. */
export const programScripts = { synth: 'fieldwise synth', diff: 'fieldwise diff', deploy: 'fieldwise deploy' };
