import { goDouble } from '../../../util/go-double.js';
import { implementationName, typeName } from '../values/type-name.js';
import { CelList, CelMap, CelOptional, CelUint, type CelValue, EvaluationError, emptyOptional } from '../values/value.js';

/** @throws EvaluationError for a list, whose items have no names; other values have just none of them. Source: observed. */
function refuseList(operand: CelValue): void {
  if (operand instanceof CelList) throw new EvaluationError("unsupported index type 'string' in list");
}

/** Returns a field of an object or the value of a key; of an optional, an optional. @throws EvaluationError */
export function select(operand: CelValue, field: string): CelValue {
  if (operand instanceof CelMap) {
    const found = operand.get(field);
    if (found === undefined) throw new EvaluationError(`no such key: ${field}`);
    return found;
  }
  if (operand instanceof CelOptional) return selectOptional(operand, field);
  refuseList(operand);
  throw new EvaluationError(`no such key: ${field}`);
}

/** Returns an optional with a field, without a value if the field is not set. */
export function selectOptional(operand: CelValue, field: string): CelOptional {
  const target = operand instanceof CelOptional ? operand.value : operand;
  if (target === undefined) return emptyOptional;
  refuseList(target);
  return target instanceof CelMap ? optionalOf(target.get(field)) : emptyOptional;
}

/** Returns true if a field is set; false also for a value that cannot have one, such as null. @throws EvaluationError for a list */
export function hasField(operand: CelValue, field: string): boolean {
  const target = operand instanceof CelOptional ? operand.value : operand;
  if (target === undefined) return false;
  refuseList(target);
  return target instanceof CelMap && target.has(field);
}

/** Returns an item of a list or the value of a key; of an optional, an optional. @throws EvaluationError */
export function index(operand: CelValue, key: CelValue): CelValue {
  if (operand instanceof CelOptional) return indexOptional(operand, key);
  checkKey(key);
  const found = operand instanceof CelList || operand instanceof CelMap ? memberAt(operand, key) : undefined;
  if (found !== undefined) return found;
  throw new EvaluationError(operand instanceof CelList ? `index out of bounds: ${shown(key)}` : `no such key: ${shown(key)}`);
}

/** Returns an optional with an item or the value of a key, without a value if there is none. */
export function indexOptional(operand: CelValue, key: CelValue): CelOptional {
  const target = operand instanceof CelOptional ? operand.value : operand;
  if (target === undefined) return emptyOptional;
  checkKey(key);
  return optionalOf(memberAt(target, key));
}

function memberAt(operand: CelValue, key: CelValue): CelValue | undefined {
  if (operand instanceof CelMap) return operand.get(key);
  if (!(operand instanceof CelList)) return undefined;
  const place = key instanceof CelUint ? Number(key.value) : typeof key === 'bigint' ? Number(key) : key;
  if (typeof place !== 'number') throw new EvaluationError(`unsupported index type '${typeName(key)}' in list`);
  if (!Number.isInteger(place)) throw new EvaluationError(`unsupported index value ${shown(key)} in list`);
  return operand.at(place);
}

/** @throws EvaluationError for a value that can be neither an index nor a key */
export function checkKey(key: CelValue): void {
  const isKey = key !== null && (typeof key !== 'object' || key instanceof CelUint);
  if (!isKey) throw new EvaluationError(`invalid qualifier type: ${implementationName(key)}`);
}

function optionalOf(value: CelValue | undefined): CelOptional {
  return value === undefined ? emptyOptional : new CelOptional(value);
}

function shown(key: CelValue): string {
  return key instanceof CelUint ? String(key.value) : typeof key === 'number' ? goDouble(key) : String(key);
}
