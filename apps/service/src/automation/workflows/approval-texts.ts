import { isRecord, scanJson } from "../../lib/lib.ts";
import type { ScannedJson, Violation } from "../../lib/lib.ts";
import type { Members } from "../definitions/step-port.ts";

/** The texts of an approval, with the run's values. */
export interface ApprovalTexts {
  readonly title?: string;
  readonly summary?: string;
  readonly fields?: readonly { readonly label: string; readonly value: string }[];
}

/** Hides secrets in what people see. */
export interface TextRedactor {
  /** Returns the value, or what replaces it because of its name or its form. */
  value(name: string, value: unknown): unknown;
  text(text: string): string;
  /** Returns a text of at most this length, without invisible characters. */
  bounded(text: string, max: number): string;
}

const MAX_CHARS = { title: 200, summary: 1000, label: 100, value: 500 } as const;
const MAX_FIELDS = 20;

/** Shows every value. */
export const UNREDACTED: TextRedactor = {
  value: (_name, value) => value,
  text: (text) => text,
  bounded: (text) => text,
};

/**
 * Reads the texts in the filled input of a `wait_approval` step. A missing value is shown as `[missing: path]`, and a text without
 * visible characters as `[empty]`, so that no person approves a gap.
 */
export function approvalTexts(input: string, redactor: TextRedactor): ApprovalTexts {
  const scan = scanJson(Buffer.from(input));
  if (!isRecord(scan.value)) return {};
  const { title, summary, fields } = scan.value;
  const shown = (text: unknown, place: TextPlace): string =>
    nonEmpty(redactor.text(textAt({ scan, redactor }, text, place)));
  return {
    ...(title === undefined ? {} : { title: redactor.bounded(shown(title, ["title"]), MAX_CHARS.title) }),
    ...(summary === undefined ? {} : { summary: redactor.bounded(shown(summary, ["summary"]), MAX_CHARS.summary) }),
    ...(Array.isArray(fields) ? { fields: fields.map((field, at) => fieldOf(field, at)) } : {}),
  };

  function fieldOf(field: unknown, at: number): { label: string; value: string } {
    const given = isRecord(field) ? field : {};
    const label = shown(given["label"], ["fields", at, "label"]);
    const value = shown(given["value"], ["fields", at, "value"]);
    return {
      label: redactor.bounded(label, MAX_CHARS.label),
      value: redactor.bounded(String(redactor.value(label, value)), MAX_CHARS.value),
    };
  }
}

type TextPlace = readonly (string | number)[];

interface Reading {
  readonly scan: ScannedJson;
  readonly redactor: TextRedactor;
}

/** `text` is a text, or a list of texts and values: see `compileFill`. */
function textAt(reading: Reading, text: unknown, place: TextPlace): string {
  if (!Array.isArray(text)) return String(text);
  return text.map((part, at) => (typeof part === "string" ? part : valueText(reading, part, [...place, at]))).join("");
}

function valueText({ scan, redactor }: Reading, part: unknown, place: TextPlace): string {
  const { path, name, value } = isRecord(part) ? part : {};
  if (value === undefined) return `[missing: ${String(path)}]`;
  const shown = redactor.value(String(name), value);
  // An unchanged value keeps its spelling, so that no number loses a digit.
  const isChanged = JSON.stringify(shown) !== JSON.stringify(value);
  if (typeof shown === "string") return shown;
  return isChanged ? JSON.stringify(shown) : (scan.slice([...place, "value"]) ?? "null");
}

function nonEmpty(text: string): string {
  return text.trim() === "" ? "[empty]" : text;
}

/** Returns the faults of the texts of a step that is saved, with pointers below the step. */
export function approvalFaults({ title, summary, fields }: Members): Violation[] {
  return [
    ...textFaults(title, "/title", MAX_CHARS.title),
    ...textFaults(summary, "/summary", MAX_CHARS.summary),
    ...(fields === undefined ? [] : fieldFaults(fields)),
  ];
}

function fieldFaults(fields: unknown): Violation[] {
  if (!Array.isArray(fields) || fields.length > MAX_FIELDS)
    return [{ pointer: "/fields", code: "type", message: `must be a list of at most ${MAX_FIELDS} fields` }];
  return fields.flatMap((field: unknown, at): Violation[] => {
    const pointer = `/fields/${at}`;
    const names = isRecord(field) ? Object.keys(field).toSorted().join() : "";
    if (!isRecord(field) || names !== "label,value")
      return [{ pointer, code: "type", message: "must be an object with a label and a value" }];
    return [
      ...textFaults(field["label"], `${pointer}/label`, MAX_CHARS.label),
      ...textFaults(field["value"], `${pointer}/value`, MAX_CHARS.value),
    ];
  });
}

function textFaults(text: unknown, pointer: string, max: number): Violation[] {
  if (text === undefined) return [];
  const isText = typeof text === "string" && text.trim() !== "" && text.length <= max;
  return isText ? [] : [{ pointer, code: "text", message: `must be a text of 1 to ${max} characters` }];
}
