import {
  isRecord,
  locate,
  nextTurn,
  readPath,
  TooExpensiveError,
  WORK_MS,
  UNITS_PER_MS,
  WorkBudget,
} from "../../lib/lib.ts";
import type { Steps } from "../../lib/lib.ts";
import { isJsonLines, isRead } from "./body.ts";
import type { ReadValue } from "./body.ts";
import { mapPart, NOTHING } from "./mapping.ts";
import { locateLone } from "./path-reader.ts";
import type { Part } from "./path-reader.ts";
import type { Content, Mapped, Mapping, Unmapped, UnmappedCode } from "./mapping.ts";

/** The elements of a list, each mapped by itself. An empty list is one without items. */
export interface MappedList {
  readonly kind: "list";
  /** The path to the list. */
  readonly each: string;
  readonly items: readonly (Mapped | Unmapped)[];
}

/** The maximum of elements of one request. */
export const MAX_ELEMENTS = 1000;
/** The price of all elements together. Each has that of a body too. */
const LIST_UNITS = 10 * WORK_MS * UNITS_PER_MS;
/** Other work takes its turn after this many elements, or after elements of this price. */
const ELEMENTS_PER_TURN = 25;
const UNITS_PER_TURN = 5 * UNITS_PER_MS;

/** Maps a request by a source's mapping (contract, section 13). Pure, because preview, intake and reprocessing use it. */
export async function mapRequest(mapping: Mapping, content: Content): Promise<Mapped | Unmapped | MappedList> {
  const { read } = content;
  if (!isRead(read)) return unmappedAs("not_json", read.reason);
  try {
    const each = eachOf(mapping, read);
    if (each !== null) return await mapList({ ...mapping, each }, content, read, each);
    const whole: Part = { ...partsOf(read), at: [], value: read.value, budget: new WorkBudget() };
    return mapPart({ ...mapping, each: null }, content, eventIn(mapping, whole), null);
  } catch (error) {
    if (!(error instanceof TooExpensiveError)) throw error;
    return unmappedAs("too_expensive", "The paths of the mapping lead too deep into the body");
  }
}

/** Returns the event of a sender that can send it as JSON or in the only field of a form, so that it has one shape. */
function eventIn({ form_field: field }: Mapping, whole: Part): Part {
  if (field === undefined || !isRecord(whole.value)) return whole;
  const { [field]: value, ...others } = whole.value;
  return isRecord(value) && Object.keys(others).length === 0 ? { ...whole, at: [field], value } : whole;
}

/**
 * Returns the path to the list of events. The media types of a CloudEvents batch and of lines of JSON name one, and senders of lists can also
 * send an event by itself, as Segment does without batches.
 */
function eachOf({ each }: Mapping, { value, as: { content_type: type } }: ReadValue): string | null {
  if (each === "$" && isRecord(value)) return null;
  if (each !== null) return each;
  return type === "application/cloudevents-batch+json" || (isJsonLines(type ?? "") && Array.isArray(value))
    ? "$"
    : null;
}

/** The bodies in which a list of one element is that element: their senders write each element by its name. */
const WITHOUT_LISTS = new Set<string | null>(["form", "multipart", "xml"]);

function partsOf(read: ReadValue): Pick<Part, "json" | "isLoneList"> {
  return { json: read, isLoneList: WITHOUT_LISTS.has(read.as.kind) };
}

/** The elements of a list with their places. */
interface Elements {
  readonly values: readonly unknown[];
  readonly placeOf: (position: number) => Steps;
}

/** Returns undefined if there is no list. XML without elements has only what would surround them. */
function elementsAt(read: ReadValue, each: string): Elements | undefined {
  const steps = readPath(each)?.steps ?? [];
  const list = locate(read.value, steps);
  if (Array.isArray(list?.value)) return { values: list.value, placeOf: (position) => [...list.at, position] };
  return partsOf(read).isLoneList === true ? loneElement(read, steps) : undefined;
}

function loneElement(read: ReadValue, steps: Steps): Elements | undefined {
  const only = locateLone(read.value, steps);
  if (only !== undefined) return { values: [only.value], placeOf: () => only.at };
  const isEmpty = read.as.kind === "xml" && locate(read.value, steps.slice(0, -1))?.value === "";
  return isEmpty ? { values: [], placeOf: () => [] } : undefined;
}

async function mapList(
  mapping: Mapping,
  content: Content,
  read: ReadValue,
  each: string,
): Promise<Unmapped | MappedList> {
  const found = elementsAt(read, each);
  if (found === undefined) return unmappedAs("list_missing", `each leads to no list: ${each}`);
  const { values: elements, placeOf } = found;
  if (elements.length > MAX_ELEMENTS)
    return unmappedAs(
      "list_too_long",
      `The list has ${elements.length} elements; a request can have at most ${MAX_ELEMENTS}`,
    );
  const whole = new WorkBudget(LIST_UNITS);
  const items: (Mapped | Unmapped)[] = [];
  let turn = whole.left;
  for (const [position, value] of elements.entries()) {
    if (turn - whole.left > UNITS_PER_TURN || (position > 0 && position % ELEMENTS_PER_TURN === 0)) {
      await nextTurn();
      turn = whole.left;
    }
    const budget = new WorkBudget(WORK_MS * UNITS_PER_MS, whole);
    const part = { ...partsOf(read), at: placeOf(position), value, budget };
    items.push(mapPart(mapping, content, part, position));
  }
  return { kind: "list", each, items };
}

function unmappedAs(code: UnmappedCode, reason: string): Unmapped {
  return { kind: "unmapped", code, reason, extracted: NOTHING };
}
