import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Extractor, ExtractorConfig, ExtractorLogLevel, type IConfigFile } from '@microsoft/api-extractor';
import { root } from './command.js';

const directory = join(root, 'api');

/** Export paths that have no report: the built-in API is generated from Kubernetes' own, and package.json has no types. */
const unreported = ['./k8s/*', './package.json'];

/** Writes `api/*.api.md` from the built declarations, and removes reports of export paths that no longer exist. */
export async function writeApiReports(): Promise<void> {
  const reports = await apiReports();
  await mkdir(directory, { recursive: true });
  for (const name of await committed()) if (!reports.has(name)) await rm(join(directory, name));
  for (const [name, text] of reports) await writeFile(join(directory, name), text);
}

/** Names the reports that differ from the built declarations. */
export async function apiDrift(): Promise<string[]> {
  const reports = await apiReports();
  const names = new Set([...reports.keys(), ...(await committed())]);
  const texts = await Promise.all(
    [...names].map(async (name) => [name, await readFile(join(directory, name), 'utf8').catch(() => '')] as const),
  );
  return texts.flatMap(([name, text]) => {
    const report = reports.get(name);
    if (report === text) return [];
    const next = 'the public surface changed; run npm run api, review the difference and commit it';
    return [`api/${name}: ${report === undefined ? 'no export path has this report' : firstDifference(text, report)}: ${next}`];
  });
}

/** Returns the first line of a report that differs from the committed text. */
export function firstDifference(committedText: string, report: string): string {
  const [before, after] = [committedText.split('\n'), report.split('\n')];
  const index = after.findIndex((line, at) => line !== before[at]);
  return index < 0 ? `line ${after.length + 1} is gone` : `line ${index + 1} is now "${after[index]?.trim()}"`;
}

async function committed(): Promise<string[]> {
  return (await readdir(directory).catch(() => [])).filter((name) => name.endsWith('.api.md'));
}

async function apiReports(): Promise<Map<string, string>> {
  const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { default: string }>;
  };
  const reports = new Map<string, string>();
  const output = await mkdtemp(join(tmpdir(), 'fieldwise-api-'));
  try {
    for (const [path, target] of Object.entries(exports)) {
      if (unreported.includes(path)) continue;
      const module = typeof target === 'string' ? target : target.default;
      const name = path === '.' ? 'index' : path.slice('./'.length).replaceAll('/', '-');
      reports.set(`${name}.api.md`, await apiReport(name, module.replace(/\.js$/, '.d.ts'), output));
    }
  } finally {
    await rm(output, { recursive: true, force: true });
  }
  return reports;
}

async function apiReport(name: string, declarations: string, output: string): Promise<string> {
  const silent = { default: { logLevel: ExtractorLogLevel.None } };
  const configObject: IConfigFile = {
    projectFolder: root,
    mainEntryPointFilePath: join(root, declarations),
    newlineKind: 'lf',
    compiler: { tsconfigFilePath: join(root, 'tsconfig.json'), skipLibCheck: true },
    apiReport: {
      enabled: true,
      reportFileName: name,
      reportFolder: output,
      reportTempFolder: join(output, 'temp'),
      includeForgottenExports: true,
    },
    docModel: { enabled: false },
    dtsRollup: { enabled: false },
    tsdocMetadata: { enabled: false },
    messages: { compilerMessageReporting: silent, extractorMessageReporting: silent, tsdocMessageReporting: silent },
  };
  const config = ExtractorConfig.prepare({
    configObject,
    configObjectFullPath: undefined,
    packageJsonFullPath: join(root, 'package.json'),
  });
  const errors: string[] = [];
  const result = Extractor.invoke(config, {
    localBuild: true,
    messageCallback: (message) => {
      message.handled = true;
      if (message.logLevel === ExtractorLogLevel.Error) errors.push(message.text);
    },
  });
  if (errors.length > 0 || !result.succeeded) throw new Error(`api-extractor cannot report ${declarations}:\n${errors.join('\n')}`);
  return readFile(join(output, `${name}.api.md`), 'utf8');
}
