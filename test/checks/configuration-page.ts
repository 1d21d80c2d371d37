import { cell, generatedNote, table } from './markdown-table.js';

/** The parts of a JSON Schema that the page shows. */
interface Property {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Property;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Property>>;
}

export interface ConfigurationSchema {
  readonly properties: Readonly<Record<string, Property>>;
}

/** Returns the page of all keys of `fieldwise.yaml`. */
export function configurationPage({ properties }: ConfigurationSchema): string {
  return `# Configuration

${generatedNote('schema/fieldwise.schema.json')}

\`fieldwise.yaml\` in the directory of a project configures its commands. Every key is optional. The user's own file,
\`~/.config/fieldwise/config.yaml\`, has the same keys and applies to all projects.

The first of these that sets a value wins: flags, [environment variables](environment-variables.md), \`fieldwise.yaml\`, the user's own file. The maps
\`context\`, \`policy\`, \`inventory\`, \`guard\` and \`gitops\` are merged member by member. Relative paths in
\`fieldwise.yaml\` are relative to its directory, all others to the working directory.

${table(['key', 'value', 'meaning'], rowsOf(properties))}
The members of \`policy\` are those of a policy in a program; [Deploying](../deploy.md#policies) lists them.

Editors complete and check the file with the JSON Schema that the package contains, \`schema/fieldwise.schema.json\`. \`fieldwise init\` writes the
comment that names it:

\`\`\`yaml
# yaml-language-server: $schema=node_modules/fieldwise/schema/fieldwise.schema.json
name: shop
app: main.ts
namespace: default
policy:
  conflicts: fail
inventory:
  namespace: shop-system
\`\`\`
`;
}

function rowsOf(properties: Readonly<Record<string, Property>>, prefix = ''): string[][] {
  return Object.entries(properties).flatMap(([key, property]) =>
    property.properties
      ? rowsOf(property.properties, `${prefix}${key}.`)
      : [[`\`${prefix}${key}\``, typeText(property), cell(property.description ?? '')]],
  );
}

function typeText({ type, const: only, enum: values, items, minimum, maximum }: Property): string {
  if (only !== undefined) return `\`${String(only)}\``;
  if (values !== undefined) return values.map((value) => `\`${String(value)}\``).join(' or ');
  if (type === 'array') return `list of ${typeText(items ?? {})}s`;
  if (type === 'integer') return `integer from ${minimum} to ${maximum}`;
  const names: Readonly<Record<string, string>> = { string: 'text', boolean: '`true` or `false`', object: 'map' };
  return names[type ?? ''] ?? 'any';
}
