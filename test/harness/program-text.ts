/** A declaration of a program made from data: for tests whose subject is what is declared and not how. */
export interface Declared {
  readonly lifecycle: 'own' | 'share';
  readonly object: object;
  readonly policy?: object | undefined;
}

export function own(object: object, policy?: object): Declared {
  return { lifecycle: 'own', object, policy };
}

export function share(object: object, policy?: object): Declared {
  return { lifecycle: 'share', object, policy };
}

/** Source of a program with these stacks, one declaration a line: the first declaration of the first stack is on line 4. */
export function programOf(stacks: Readonly<Record<string, readonly Declared[]>>): string {
  const lines = ["import { App, Stack } from 'fieldwise';", 'const app = new App();'];
  for (const [name, declarations] of Object.entries(stacks)) {
    lines.push(`const ${variableOf(name)} = new Stack(app, ${JSON.stringify(name)});`);
    for (const { lifecycle, object, policy } of declarations) {
      lines.push(`${variableOf(name)}.${lifecycle}(${JSON.stringify(object)}${policy ? `, ${JSON.stringify(policy)}` : ''});`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function variableOf(stack: string): string {
  return `stack_${stack.replaceAll(/\W/g, '_')}`;
}
