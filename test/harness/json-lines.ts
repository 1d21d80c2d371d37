import { readdirSync, readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import type { ResponseBody } from './api-client.js';

const directory = new URL('../../schema/json/', import.meta.url);
const suffix = '.schema.json';
const schemaOfAll = 'all#/definitions/';

/** The commands that have a schema of what they print with `-o json`. */
export const commandsWithSchema: readonly string[] = readdirSync(directory)
  .filter((file) => file.endsWith(suffix))
  .map((file) => file.slice(0, -suffix.length));

/**
 * Requires that what a command printed, a line or a document, is as its JSON Schema says, and has no member that the schema does not name.
 *
 * @param args of the command line.
 */
export function requirePrintedAsDescribed(args: readonly string[], printed: ResponseBody): void {
  const command = args.find((word) => commandsWithSchema.includes(word));
  if (command === undefined) return;
  const validate = validatorOf(command, printed.event);
  if (validate?.(printed)) return;
  const problems = validate?.errors?.map(({ instancePath, message, params }) => `  ${instancePath} ${message} ${JSON.stringify(params)}`);
  throw new Error(
    [
      `\`fieldwise ${command} -o json\` printed what its schema does not describe (npm run json-schemas makes it of src/cli/json/lines.ts):`,
      JSON.stringify(printed),
      ...(problems ?? [`  it has no event ${printed.event}`]),
    ].join('\n'),
  );
}

/** A type of what a command prints, with the events that it is for. */
interface PrintedType {
  readonly schema: ResponseBody;
  readonly event: ResponseBody | undefined;
}

// A schema is compiled once in each worker, with the types that several commands print, and only for the events that its tests meet.
const compiled = new Map<string, ValidateFunction | undefined>();
let read: { readonly ajv: Ajv; readonly typesOf: (command: string) => readonly PrintedType[] } | undefined;

function validatorOf(command: string, event: unknown): ValidateFunction | undefined {
  const key = `${command} ${event}`;
  if (!compiled.has(key)) {
    read ??= readSchemas();
    const fitting = read.typesOf(command).filter((type) => isEvent(type.event, event));
    const [first, ...others] = fitting.map(({ schema }) => schema);
    compiled.set(key, first && read.ajv.compile(others.length === 0 ? first : { anyOf: [first, ...others] }));
  }
  return compiled.get(key);
}

/** All schemas have one set of definitions: those of one name are the same in each. */
function readSchemas(): NonNullable<typeof read> {
  const textOf = (command: string) => readFileSync(new URL(`${command}${suffix}`, directory), 'utf8');
  const refs = new Map(commandsWithSchema.map((command) => [command, closed(JSON.parse(textOf(command)))]));
  const definitions = Object.assign({}, ...[...refs.values()].map((schema) => schema.definitions));
  // The schemas themselves are checked in json-schemas.test.ts; to check them in each worker takes longer than all that they check.
  const ajv = new Ajv({ validateSchema: false });
  ajv.addSchema({ $id: 'all', definitions });
  return { ajv, typesOf: (command) => typesIn(refs.get(command) ?? {}, definitions) };
}

/** The schemas are open for their readers; of what is printed here, they have to name every member. */
function closed(schema: unknown): ResponseBody {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema as ResponseBody;
  const members = Object.fromEntries(
    Object.entries(schema).map(([name, member]) => [
      name,
      name === '$ref' ? member.replace('#/definitions/', schemaOfAll) : closed(member),
    ]),
  );
  const isObject = members.type === 'object' && members.properties !== undefined;
  return isObject && members.additionalProperties === undefined ? { ...members, additionalProperties: false } : members;
}

/** Returns the object types of a union. */
function typesIn(schema: ResponseBody, definitions: ResponseBody): readonly PrintedType[] {
  const { $ref, anyOf, properties } = schema;
  const found = $ref === undefined ? undefined : definitions[decodeURIComponent($ref.slice(schemaOfAll.length))];
  if (found?.properties !== undefined) return [{ schema, event: found.properties.event }];
  if (found !== undefined) return typesIn(found, definitions);
  return anyOf === undefined ? [{ schema, event: properties.event }] : anyOf.flatMap((type: ResponseBody) => typesIn(type, definitions));
}

function isEvent(type: ResponseBody | undefined, event: unknown): boolean {
  return type === undefined ? event === undefined : type.const === event || type.enum?.includes(event) === true;
}
