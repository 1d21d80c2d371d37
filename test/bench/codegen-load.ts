import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type BenchProject, timed } from './bench-project.js';
import { median } from './figures.js';

const generated = fileURLToPath(new URL('../../generated', import.meta.url));

export interface LoadCost {
  readonly milliseconds: number;
  /** Of the heap, after a collection. */
  readonly bytes: number;
}

/**
 * What a program pays that imports something from every module of the built-in API; and what the loader alone costs, for as many
 * modules that hold nothing.
 */
export async function loadCost(project: BenchProject): Promise<{ readonly api: LoadCost; readonly loader: LoadCost }> {
  const modules = readdirSync(generated, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => path.replace(/\.ts$/, '').replaceAll('\\', '/'));
  const imports = modules.map((path, index) => {
    const name = /^export function (\w+)\(/m.exec(readFileSync(`${generated}/${path}.ts`, 'utf8'))?.[1] as string;
    project.write(`nothing/${index}.js`, `export function ${name}() {}\n`);
    return { path, name: `{ ${name} as name${index} }` };
  });
  const used = `globalThis.used = [${imports.map((_, index) => `name${index}`).join(', ')}];\n`;
  project.write('api.js', imports.map(({ path, name }) => `import ${name} from 'fieldwise/k8s/${path}';\n`).join('') + used);
  project.write('nothing.js', imports.map(({ name }, index) => `import ${name} from './nothing/${index}.js';\n`).join('') + used);
  project.write('measure.js', measure);
  return { api: await cost(project, './api.js'), loader: await cost(project, './nothing.js') };
}

async function cost(project: BenchProject, entry: string): Promise<LoadCost> {
  const runs: LoadCost[] = [];
  for (let round = 0; round < 9; round++) {
    const { stdout } = await timed(process.execPath, ['--expose-gc', 'measure.js', entry], { cwd: project.directory });
    if (round > 0) runs.push(JSON.parse(stdout) as LoadCost);
  }
  return { milliseconds: median(runs.map(({ milliseconds }) => milliseconds)), bytes: median(runs.map(({ bytes }) => bytes)) };
}

const measure = `
const used = () => { gc(); gc(); return process.memoryUsage().heapUsed; };
const before = used();
const start = performance.now();
await import(process.argv[2]);
const milliseconds = performance.now() - start;
console.log(JSON.stringify({ milliseconds, bytes: used() - before }));
`;
