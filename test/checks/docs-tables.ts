import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { blockedMeanings, riskyMeanings } from '../../src/cli/render/formats/object-finding.js';
import { effectWords } from '../../src/cli/render/formats/words-of-effects.js';
import { exitCodeOf } from '../../src/util/error.js';
import type { ErrorKind } from '../../src/util/error-codes.js';
import { campaigns, needsText } from '../campaigns/table.js';
import { root } from './command.js';
import { type Documented, DocumentedTypes } from './documented-types.js';

interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A table and the source of its types. */
interface TableSource {
  readonly file: string;
  read(types: DocumentedTypes): Table;
}

const events = 'src/engine/report/events.ts';
const planTypes = 'src/engine/report/plan-types.ts';
const policies = 'src/assembly/policy-vocabulary.ts';
const codes = 'src/util/error-codes.ts';
const verbOptions = 'src/entry/verb-options.ts';

const tables: Readonly<Record<string, TableSource>> = {
  outcomes: values('result', 'src/util/outcome.ts', 'Outcome'),
  'deploy-events': eventTable(events, 'DeployEvent', ['object']),
  'object-members': members('member', events, 'ObjectReport', ['event', 'result']),
  'readiness-states': values('state', 'src/engine/report/readiness-state.ts', 'ReadinessState'),
  causes: values('cause', 'src/engine/report/readiness-cause.ts', 'CauseName'),
  'released-changes': values('`change`', 'src/engine/report/released-field.ts', 'ReleaseOutcome'),
  'if-present': values('`ifPresent`', policies, 'IfPresent'),
  releases: values('`releases`', policies, 'ReleasePolicy'),
  policies: members('policy', 'src/app/settings/policy.ts', 'Policy'),
  'planned-actions': values('action', planTypes, 'PlannedAction'),
  'field-changes': values('change', planTypes, 'FieldChange'),
  'plan-sources': values('source', planTypes, 'PlanSource'),
  'risky-findings': meanings('finding', riskyMeanings),
  'blocked-findings': meanings('finding', blockedMeanings),
  'effect-words': {
    file: '',
    read: () => ({
      head: ['plan: text, page, JSON', 'text of a deploy', 'Markdown', 'meaning'],
      rows: effectWords.map(({ plan, deploy, said, meaning }) => [plan, deploy, said, meaning]),
    }),
  },
  'plan-events': eventTable(planTypes, 'PlanEvent', ['plan']),
  'plan-members': members('member', planTypes, 'PlannedObject', ['event']),
  'planned-field-members': members('member', planTypes, 'PlannedField'),
  'object-states': values('state', 'src/inspect/status/status.ts', 'ObjectState'),
  'connect-options': members('option', 'src/entry/connect.ts', 'ConnectOptions'),
  'plan-options': members('option', verbOptions, 'PlanOptions'),
  'deploy-options': members('option', verbOptions, 'DeployOptions'),
  'destroy-options': members('option', verbOptions, 'DestroyOptions'),
  'undo-options': members('option', verbOptions, 'UndoOptions'),
  'list-stacks-options': members('option', verbOptions, 'ListStacksOptions'),
  'embedded-options': members('option', 'src/apiserver/embedded-api-server.ts', 'EmbeddedApiServerOptions'),
  'test-cluster-options': members('option', 'src/testing/test-cluster-options.ts', 'TestClusterOptions'),
  'ssa-apply-options': members('option', 'src/entry/ssa.ts', 'ApplyOptions'),
  'program-errors': errors('ProgramErrorCodes'),
  'configuration-errors': errors('ConfigurationErrorCodes'),
  'import-errors': errors('ImportErrorCodes'),
  'cluster-errors': errors('ClusterErrorCodes'),
  'library-errors': members('code', codes, 'LibraryErrorCodes'),
  'synth-warnings': members('code', codes, 'SynthWarningCodes'),
  'run-warnings': members('code', codes, 'RunWarningCodes'),
  'doctor-diagnostics': members('code', codes, 'DoctorDiagnosticCodes'),
  'import-diagnostics': members('code', codes, 'ImportDiagnosticCodes'),
  campaigns: { file: '', read: campaignTable },
};

function campaignTable(): Table {
  return {
    head: ['campaign', 'what it does', 'needs', 'minutes', 'in `.ci/run`'],
    rows: campaigns.map((campaign) => [
      `\`${campaign.name}\`${campaign.formerly === undefined ? '' : ` (formerly \`${campaign.formerly}\`)`}`,
      campaign.does,
      needsText(campaign) || '–',
      String(campaign.minutes),
      campaign.samples.map(({ words }) => (words === '' ? 'all of it' : `\`${words}\``)).join(', ') || '–',
    ]),
  };
}

/** Makes a table of texts that the sources have as data. */
function meanings(head: string, texts: Readonly<Record<string, string>>): TableSource {
  return { file: '', read: () => ({ head: [head, 'meaning'], rows: Object.entries(texts).map(([name, text]) => [`\`${name}\``, text]) }) };
}

/** Writes the tables between the markers of docs/*.md and test/README.md. */
export function writeDocsTables(): void {
  for (const { path, text, generated } of pages()) if (text !== generated) writeFileSync(path, generated);
}

/** Names the tables of these pages that differ from their sources, and the tables that no page has. */
export function docsTableDrift(): string[] {
  const used = new Set<string>();
  const drifted = pages().flatMap(({ page, text, generated, names }) => {
    for (const name of names) used.add(name);
    return text === generated ? [] : [`${page}: a table differs from its source; run npm run docs:tables and commit`];
  });
  return [...drifted, ...Object.keys(tables).flatMap((name) => (used.has(name) ? [] : [`no page has the table ${name}`]))];
}

const marker = /(<!-- table: ([\w-]+) \(npm run docs:tables\) -->\n)[\s\S]*?(<!-- end -->\n)/g;

function pages() {
  const types = new DocumentedTypes(root, [...new Set(Object.values(tables).map(({ file }) => file))]);
  const pages = readdirSync(join(root, 'docs')).filter((page) => page.endsWith('.md'));
  return [...pages.map((page) => `docs/${page}`), 'test/README.md'].map((page) => {
    const path = join(root, page);
    const text = readFileSync(path, 'utf8');
    const names: string[] = [];
    const generated = text.replaceAll(marker, (_, begin: string, name: string, end: string) => {
      const source = tables[name];
      if (!source) throw new Error(`${page}: there is no table ${name}; its names are in test/checks/docs-tables.ts`);
      names.push(name);
      return `${begin}\n${markdown(name, source.read(types))}\n${end}`;
    });
    return { page, path, text, generated, names };
  });
}

function markdown(name: string, { head, rows }: Table): string {
  for (const row of rows) if (row.some((cell) => cell === '')) throw new Error(`Table ${name}: ${row[0]} has no JSDoc`);
  const [first = '', ...others] = [head, ...rows].map((row) => `| ${row.map(cellText).join(' | ')} |\n`);
  return [first, `|${head.map(() => '---|').join('')}\n`, ...others].join('');
}

/** JSDoc names pages by their path in the repository; a page links to them. */
function cellText(text: string): string {
  return text
    .replaceAll(/\bdocs\/([\w-]+\.md)(#[\w-]+)?/g, (_, page: string, anchor = '') => `[${page}](${page}${anchor})`)
    .replaceAll('|', '\\|');
}

function values(head: string, file: string, type: string): TableSource {
  return {
    file,
    read: (types) => ({ head: [head, 'meaning'], rows: types.values(file, type).map(({ name, text }) => [`\`${name}\``, text]) }),
  };
}

/** Columns for defaults and examples appear if a member has one. */
function members(head: string, file: string, type: string, omitted: readonly string[] = []): TableSource {
  return {
    file,
    read: (types) => {
      const rows = types.members(file, type).filter(({ name }) => !omitted.includes(name));
      const more = (['default', 'example'] as const).filter((column) => rows.some((row) => row[column] !== undefined));
      return {
        head: [head, 'meaning', ...more],
        rows: rows.map((row) => [`\`${row.name}\``, row.text, ...more.map((column) => columnText(column, row[column]))]),
      };
    },
  };
}

function columnText(column: 'default' | 'example', text: string | undefined): string {
  if (text === undefined) return ' ';
  return column === 'default' && /^[^\s`]+$/.test(text) ? `\`${text.replaceAll("'", '')}\`` : text;
}

function errors(type: string): TableSource {
  return {
    file: codes,
    read: (types) => ({
      head: ['code', 'exit code', 'meaning'],
      rows: types.members(codes, type).map(({ name, text, values: kinds }) => [`\`${name}\``, exitCodes(kinds), text]),
    }),
  };
}

function exitCodes(kinds: readonly string[]): string {
  return kinds
    .filter((kind) => kind !== 'warning' && kind !== 'diagnostic')
    .map((kind) => exitCodeOf(kind as ErrorKind))
    .toSorted((left, right) => left - right)
    .join(', ');
}

/** @param described events whose members have a table of their own. */
function eventTable(file: string, type: string, described: readonly string[]): TableSource {
  return {
    file,
    read: (types) => ({
      head: ['event', 'when', 'members'],
      rows: types.union(file, type).map(({ text, members: all }) => {
        const name = all.find((member) => member.name === 'event')?.values[0] ?? '';
        const rest = all.filter((member) => member.name !== 'event');
        return [`\`${name}\``, text, described.includes(name) ? 'see below' : rest.map(memberText).join('<br>')];
      }),
    }),
  };
}

function memberText({ name, text }: Documented): string {
  return text === '' ? `\`${name}\`` : `\`${name}\`: ${text}`;
}
