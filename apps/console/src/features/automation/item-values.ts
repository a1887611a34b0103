import { parseExact } from "../../api/api.ts";
import { conditionOf, emptyCondition, readObject } from "../../shared/shared.ts";
import type { Fault } from "../../shared/shared.ts";
import { END } from "./item-members.ts";
import type { FieldSpec, ItemDraft, PairDraft } from "./item-kind.ts";

interface Member {
  /** Undefined for a member that is left out. */
  readonly member: unknown;
  readonly found: readonly Fault[];
}

/** Returns the member that a field stands for, and faults at pointers from the member on. */
export function memberOf(draft: ItemDraft, field: FieldSpec): Member {
  const { name, kind, required = false } = field;
  if (isOfParts(kind)) return PARTS[kind](draft, field);
  const text = draft.texts[name] ?? "";
  return text.trim() === "" && !required ? LEFT_OUT : READERS[kind](text);
}

type PartKind = "condition" | "tags" | "pairs" | "rows";
const PARTS: Readonly<Record<PartKind, (draft: ItemDraft, field: FieldSpec) => Member>> = {
  condition({ conditions }, { name, required = false }) {
    const drafted = conditions[name] ?? emptyCondition();
    if (drafted.rows.length === 0 && !required) return LEFT_OUT;
    const { condition, faults } = conditionOf(drafted);
    return { member: condition, found: faults };
  },
  tags({ tags }, { name, required = false }) {
    const member = tags[name] ?? [];
    return member.length === 0 && !required ? LEFT_OUT : { member, found: [] };
  },
  pairs: ({ pairs }, { name }) => objectOf(pairs[name] ?? []),
  rows: ({ pairs }, { name }) => rowsOf(pairs[name] ?? []),
};

function isOfParts(kind: FieldSpec["kind"]): kind is PartKind {
  return kind in PARTS;
}

const LEFT_OUT: Member = { member: undefined, found: [] };
const asText = (text: string): Member => ({ member: text, found: [] });

const READERS: Readonly<Record<Exclude<FieldSpec["kind"], PartKind>, (text: string) => Member>> = {
  text: asText,
  long: asText,
  choice: asText,
  flag: () => ({ member: true, found: [] }),
  way: (text) => ({ member: text === END ? null : text, found: [] }),
  json(text) {
    const member = text.trim() === "" ? {} : readObject(text);
    return { member, found: member === undefined ? [fault("Enter a valid JSON object.")] : [] };
  },
  value(text) {
    try {
      return { member: parseExact(text), found: [] };
    } catch {
      return { member: undefined, found: [fault("Enter valid JSON. Put values in quotation marks.")] };
    }
  },
  whole(text) {
    const isWhole = /^-?\d+$/.test(text.trim());
    return { member: Number(text), found: isWhole ? [] : [fault("Enter a whole number.")] };
  },
};

function fault(message: string, pointer = ""): Fault {
  return { pointer, message };
}

/** Rows without a name and a value are left out. */
function isFilled({ name, value }: PairDraft): boolean {
  return name.trim() !== "" || value !== "";
}

function rowsOf(pairs: readonly PairDraft[]): Member {
  const rows = pairs.filter(isFilled).map(({ name, value }) => ({ label: name.trim(), value }));
  return rows.length === 0 ? LEFT_OUT : { member: rows, found: [] };
}

function objectOf(pairs: readonly PairDraft[]): Member {
  const rows = pairs.filter(isFilled);
  if (rows.length === 0) return LEFT_OUT;
  const found: Fault[] = [];
  const names = new Set<string>();
  for (const { name } of rows) {
    const trimmed = name.trim();
    if (trimmed === "") found.push(fault("Enter a name."));
    else if (names.has(trimmed)) found.push(fault(`Two rows have the name ${trimmed}.`));
    names.add(trimmed);
  }
  return { member: Object.fromEntries(rows.map(({ name, value }) => [name.trim(), value])), found };
}
