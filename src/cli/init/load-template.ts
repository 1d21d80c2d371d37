import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { packageFile } from '../../util/package-file.js';
import { type Template, type TemplateName, templateAppName, templates } from './template.js';

/** A template for an app, with the texts of its files by their paths. */
export interface LoadedTemplate extends Omit<Template, 'files'> {
  readonly files: Readonly<Record<string, string>>;
}

/** Reads a template for an app of this name. */
export async function loadTemplate(template: TemplateName, appName: string): Promise<LoadedTemplate> {
  const { files, scripts, about, prod = [], ...others }: Template = templates[template];
  const directory = packageFile(path.join('templates', template));
  const named = (text: string) => text.replaceAll(templateAppName, appName);
  const texts = await Promise.all(files.map(async (file) => [file, named(await readFile(path.join(directory, file), 'utf8'))] as const));
  return {
    ...others,
    files: Object.fromEntries(texts),
    scripts: Object.fromEntries(Object.entries(scripts).map(([name, command]) => [name, named(command)])),
    prod: prod.map(named),
    about: named(about),
  };
}
