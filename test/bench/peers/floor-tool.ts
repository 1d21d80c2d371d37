import path from 'node:path';
import type { JsonObject } from '../../../lib/src/util/json.js';
import type { BareRequest } from '../bare-loop.js';
import type { BareLoopProgram } from '../processes/bare-loop-program.js';
import { rowsOfGroups } from '../rows.js';
import { pathOf } from './peer-objects.js';
import type { Commands, PeerTool } from './peer-tool.js';

/** One request for each object from Node, with nothing around them. */
export function bareLoopTool(program: BareLoopProgram): PeerTool {
  return {
    id: 'floor',
    title: 'bare loop of requests',
    role: 'floor',
    rows: rowsOfGroups.peers,
    prepare: ({ directory, objects, changed }) => bareLoopCommands(program, directory, objects, changed),
  };
}

/** Returns the commands of a bare loop for each row. */
export async function bareLoopCommands(
  program: BareLoopProgram,
  directory: string,
  objects: readonly JsonObject[],
  changed: readonly JsonObject[],
): Promise<Commands & Record<'unchanged' | 'preview' | 'changed', NonNullable<Commands['create']>>> {
  const query = 'fieldManager=bench-bare&force=true';
  const patches = (intents: readonly JsonObject[], more = ''): BareRequest[] =>
    intents.map((object) => ({ path: `${pathOf(object)}?${query}${more}`, body: JSON.stringify(object) }));
  const command = (name: string, requests: readonly BareRequest[]) => program.command(path.join(directory, `${name}.jsonl`), requests);
  const create = await command('create', patches(objects));
  return {
    create,
    unchanged: create,
    preview: await command('preview', patches(changed, '&dryRun=All')),
    changed: await command('changed', patches(changed)),
    destroy: await command(
      'destroy',
      objects.map((object) => ({ method: 'DELETE', path: pathOf(object) })),
    ),
  };
}
