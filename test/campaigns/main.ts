import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Campaign, campaigns, commandsOf, stages } from './table.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const usage = `Usage: npm run campaign -- NAME [FLAG…]
test/README.md describes them. Names: ${campaigns.map(({ name }) => name).join(', ')}`;

/** Builds if the campaign runs the package, then runs its programs. Returns the exit code of the first that fails, else 0. */
function run(campaign: Campaign, flags: readonly string[]): number {
  const environment = { ...process.env, ...campaign.environment };
  const start = (file: string, words: readonly string[]) =>
    spawnSync(process.execPath, [file, ...words], { cwd: root, stdio: 'inherit', env: environment }).status ?? 1;
  if (campaign.builds !== false) {
    const built = spawnSync('npm run --silent build', { cwd: root, stdio: 'inherit', shell: true }).status ?? 1;
    if (built !== 0) return built;
  }
  const commands = commandsOf(campaign);
  for (const [index, [tool, ...words]] of commands.entries()) {
    const file = tool === 'tsx' ? 'node_modules/tsx/dist/cli.mjs' : 'node_modules/vitest/vitest.mjs';
    const code = start(file, index === commands.length - 1 ? [...words, ...flags] : words);
    if (code !== 0) return code;
  }
  return 0;
}

const [name, ...flags] = process.argv.slice(2);
const campaign = campaigns.find((one) => one.name === name);
if (name === '--samples') {
  for (const { name: stage, command, beside } of stages())
    if (beside === undefined || existsSync(`${root}/${beside}`)) process.stdout.write(`${stage}\t${command}\n`);
} else if (campaign === undefined) {
  process.stderr.write(`${name === undefined ? '' : `There is no campaign ${name}.\n`}${usage}\n`);
  process.exitCode = 2;
} else {
  process.exitCode = run(campaign, flags);
}
