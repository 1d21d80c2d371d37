import type { Documented } from './documented-types.js';
import { cell, generatedNote, table } from './markdown-table.js';

/** Returns the page of all environment variables. */
export function environmentPage(variables: readonly Documented[]): string {
  return `# Environment variables

${generatedNote('src/util/environment-variables.ts')}

A variable that is empty counts as unset. Flags win over variables, and variables win over [configuration files](configuration.md).

${table(
  ['variable', 'meaning', 'default'],
  variables.map(({ name, text, default: byDefault }) => [
    `\`${name}\``,
    cell(text),
    byDefault === undefined ? ' ' : `\`${byDefault.replaceAll("'", '')}\``,
  ]),
)}
A program reads other variables only where it asks for them: \`fromEnv('DB_PASSWORD')\` is a reference that \`diff\` and \`deploy\` resolve
([secrets](../how-to/secrets.md)).
`;
}
