import fc from "fast-check";
import { expect, test } from "vitest";
import {
  decodeCursor,
  encodeCursor,
  fillTemplate,
  JsonError,
  parseJson,
  readPath,
  readTemplate,
  scanJson,
  scanKnownJson,
  ServiceError,
} from "./lib.ts";
import type { Uuid } from "./lib.ts";
import { FUZZ_MS, holds, jsonish, pieces, thrown } from "../testing/fuzz.ts";

const pathText = pieces(
  "$",
  ".",
  "a",
  "_b",
  "[",
  "]",
  "'",
  '"',
  "0",
  "-1",
  "*",
  "..",
  "?",
  "@",
  "\\",
  "\\u0061",
  ":",
  ",",
  " ",
  "__proto__",
  "constructor",
);

const uuids = fc.uuid().map((text) => text as Uuid);

test(
  "a JSON text is accepted exactly when JSON.parse accepts it",
  () =>
    holds(jsonish, (text) => {
      const ours = thrown(() => parseJson(text));
      const wellFormed = text.isWellFormed();
      const theirs = thrown(() => JSON.parse(text));
      if (ours !== undefined) expect(ours).toBeInstanceOf(JsonError);
      if (wellFormed) expect(ours === undefined).toBe(theirs === undefined);
    }),
  FUZZ_MS,
);

test(
  "known JSON is parsed, refused and sliced as at first",
  () =>
    holds(jsonish, (text) => {
      const first = thrown(() => scanJson(Buffer.from(text)).value);
      const known = scanKnownJson(text.toWellFormed());
      expect(thrown(() => known.value)).toEqual(first);
      if (first !== undefined) return;
      expect(known.slice([])).toBe(text.toWellFormed().trim());
      expect(known.value).toEqual(scanJson(Buffer.from(text)).value);
    }),
  FUZZ_MS,
);

test(
  "bytes are read as JSON or refused with a JsonError",
  () =>
    holds(
      fc.oneof(
        fc.uint8Array({ maxLength: 200 }),
        jsonish.map((text) => Buffer.from(text)),
      ),
      (bytes) => {
        const fault = thrown(() => scanJson(bytes));
        if (fault !== undefined) expect(fault).toBeInstanceOf(JsonError);
        else
          expect(JSON.stringify(scanJson(bytes).value)).toBe(JSON.stringify(JSON.parse(Buffer.from(bytes).toString())));
      },
    ),
  FUZZ_MS,
);

test(
  "a path is read or refused without an exception",
  () =>
    holds(
      fc.oneof(
        pathText,
        pathText.map((text) => `$.${text}`),
      ),
      (text) => {
        const path = readPath(text);
        if (path === undefined) return;
        for (const step of path.steps) expect(["string", "number"]).toContain(typeof step);
      },
    ),
  FUZZ_MS,
);

test(
  "a template inserts values without reading them as tokens",
  () =>
    holds(fc.tuple(pieces("${", "$", "{", "}", "a.b", "$.a", "'", '"', "text"), fc.string()), ([text, value]) => {
      const template = readTemplate(text);
      if (template === undefined) return;
      const filled = fillTemplate(template, () => value);
      const fixed = template.filter((part) => typeof part === "string").join("");
      expect(filled.length).toBe(
        fixed.length + value.length * template.filter((part) => typeof part !== "string").length,
      );
      if (!text.includes("${")) expect(filled).toBe(text);
    }),
  FUZZ_MS,
);

test(
  "a cursor is accepted only by its own list",
  () =>
    holds(fc.tuple(uuids, fc.jsonValue(), fc.jsonValue()), ([id, binding, other]) => {
      const cursor = encodeCursor(id, binding);
      expect(decodeCursor(cursor, binding)).toBe(id);
      if (JSON.stringify(other) !== JSON.stringify(binding))
        expect(thrown(() => decodeCursor(cursor, other))).toBeInstanceOf(ServiceError);
    }),
  FUZZ_MS,
);

test(
  "an invented cursor is refused",
  () =>
    holds(fc.oneof(fc.string(), fc.base64String()), (text) => {
      expect(thrown(() => decodeCursor(text, ["list"]))).toBeInstanceOf(ServiceError);
    }),
  FUZZ_MS,
);
