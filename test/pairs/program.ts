import type { Manager } from './rules.js';

/** The program of a pair, before it is text. */
export interface Program {
  readonly app: { readonly name: string; readonly renamedFrom?: string };
  /** In the order of the text. */
  readonly stacks: readonly StackText[];
}

export interface StackText {
  /** Its part in the table; its name may be another one. */
  readonly part: Manager;
  readonly name: string;
  readonly renamedFrom?: string;
  readonly declared?: DeclaredText;
}

export interface DeclaredText {
  readonly as: 'own' | 'share';
  readonly fields: Readonly<Record<string, unknown>>;
  readonly policy?: object;
}

/** Changes one stack of the program. */
export function withStack(program: Program, part: Manager, change: (stack: StackText) => StackText): Program {
  return { ...program, stacks: program.stacks.map((stack) => (stack.part === part ? change(stack) : stack)) };
}

/** Changes the fields that a stack declares; undefined: no longer. */
export function withFields(program: Program, part: Manager, change: Readonly<Record<string, unknown>>): Program {
  return withStack(program, part, ({ declared = { as: 'share', fields: {} }, ...stack }) => {
    const fields = Object.entries({ ...declared.fields, ...change }).filter(([, value]) => value !== undefined);
    return fields.length === 0 ? stack : { ...stack, declared: { ...declared, fields: Object.fromEntries(fields) } };
  });
}

/** The text of `main.ts`. */
export function textOf({ app, stacks }: Program, object: object): string {
  const lines = ["import { App, Stack } from 'fieldwise';", `const app = new App(${JSON.stringify(app)});`];
  for (const { name, renamedFrom, declared } of stacks) {
    const stack = `new Stack(app, ${JSON.stringify(name)}, ${JSON.stringify({ renamedFrom })})`;
    const args = declared && [{ ...object, spec: declared.fields }, ...(declared.policy ? [declared.policy] : [])];
    lines.push(args ? `${stack}.${declared.as}(${args.map((arg) => JSON.stringify(arg)).join(', ')});` : `${stack};`);
  }
  return `${lines.join('\n')}\n`;
}
