import type { ObjectReport, PlannedObject } from '../../src/deploy/index.js';
import type { Scene } from './scene.js';

/** What a plan says of the object, as lines of the model; the fields that only change or stay are no part of it. */
export function planLines(plan: readonly PlannedObject[], scene: Scene): string[] {
  return plan.flatMap((planned) => {
    const stack = scene.stackPart(planned.stack);
    const words = { force: 'forces', yield: 'yields', conflict: 'stops at', rejected: 'is refused' } as Readonly<Record<string, string>>;
    const released = ['removed', 'defaulted', 'kept', 'item-removed'];
    const lines = planned.fields.flatMap(({ field, change }) => {
      const word = released.includes(change) ? `releases: ${change}` : words[change];
      return word === undefined ? [] : [`${stack} ${word} ${nameOf(field)}`];
    });
    const action = { create: 'creates', recreate: 'recreates', delete: 'deletes', blocked: 'is blocked' } as Readonly<
      Record<string, string>
    >;
    return [...lines, ...objectLines(stack, planned, planned.adopts !== undefined, action[planned.action], scene)];
  });
}

/** What a record says of the object, as lines of the model. */
export function recordLines(record: readonly ObjectReport[], scene: Scene): string[] {
  return record.flatMap((report) => {
    const stack = scene.stackPart(report.stack);
    const lines = [
      ...report.forcedConflicts.map(({ field }) => `${stack} forces ${nameOf(field)}`),
      ...report.yielded.map(({ field }) => `${stack} yields ${nameOf(field)}`),
      ...report.conflicts.map(({ field }) => `${stack} stops at ${nameOf(field)}`),
      ...(report.released ?? []).map(({ field, change }) => `${stack} releases: ${change} ${nameOf(field)}`),
    ];
    const result = { created: 'creates', recreated: 'recreates', deleted: 'deletes' } as Readonly<Record<string, string>>;
    return [...lines, ...objectLines(stack, report, report.adopted !== undefined, result[report.result], scene)];
  });
}

type Common = Pick<PlannedObject, 'renamedFrom' | 'transferred' | 'movedFrom' | 'rejoined'>;

function objectLines(
  stack: string,
  { renamedFrom, transferred, movedFrom, rejoined }: Common,
  adopts: boolean,
  word: string | undefined,
  scene: Scene,
) {
  return [
    ...(renamedFrom ? [`${stack} renamed`] : []),
    ...(transferred?.fields ?? []).map(
      (field) => `${stack} gets ${nameOf(field)} from ${scene.partOf(transferred?.from as string).replace('former ', '')}`,
    ),
    ...(movedFrom ? [`${stack} moved from ${scene.stackPart(movedFrom)}`] : []),
    ...(rejoined ? [`${stack} rejoined`] : []),
    ...(adopts ? [`${stack} adopts`] : []),
    ...(word ? [`${stack} ${word}`] : []),
  ];
}

/** The name of a field of `.spec`; a path elsewhere as it is. Items of a list count as the list. */
export function nameOf(path: string): string {
  return path.replace(/^\.spec\./, '').replace(/\[.*$/, '');
}
