import type { Path, Template } from "../lib/lib.ts";
import {
  EVENT_ROOTS,
  eventSources,
  factsOf,
  filled,
  FillError,
  sourceOfText,
  fillText,
  withinBudget,
} from "../events/events.ts";
import type { Facts } from "../events/events.ts";
import { hasParameter, keyParameter } from "./auth.ts";
import type { HttpTemplate, Named } from "./template.ts";
import { parseJson } from "../lib/lib.ts";

/** The maximum size of a form after values are filled in, which is also that of other bodies. */
const MAX_FORM = 262_144;
/** Characters that are encoded for one unit. */
const ENCODED_PER_UNIT = 5;
/** The maximum length of a URL after values are filled in. */
const MAX_URL = 8192;
const MAX_HEADER = 4096;
/** Control characters, and characters that a header cannot contain. */
const NOT_IN_HEADER = /[^\t\x20-\x7E\x80-\xFF]/;
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;

/** The names with which paths of a call can begin: those of rules, and those of workflows. */
export const HTTP_CALL_ROOTS = [...EVENT_ROOTS, "input", "steps"] as const;

/** Returns the values that a test of a call can read. All members but `event` and `tenant` are JSON texts. */
export function callFacts(values: {
  readonly event: string;
  readonly data: string;
  readonly tenant?: string | undefined;
  readonly contact?: string | undefined;
  readonly input?: string | undefined;
  readonly steps?: string | undefined;
}): Facts {
  return factsOf({
    ...eventSources(values.event, values.data, values.tenant ?? null),
    contact: sourceOfText(values.contact),
    input: sourceOfText(values.input),
    steps: sourceOfText(values.steps),
  });
}

/**
 * Fills in the values, and returns the call as JSON text: `{method, url, headers, body, content_type, …settings}`. Values are
 * encoded for their place, so that none can change the host, add a parameter or end a header. Throws FillError for a
 * value that is missing or cannot be in its place.
 */
export function fillHttpCall({ method, url, query, headers, body, settings }: HttpTemplate, facts: Facts): string {
  const address = urlOf(url, query, facts);
  const key = keyParameter(parseJson(settings.auth));
  if (key !== undefined && hasParameter(address, key))
    throw new FillError(`would have the parameter ${key} twice: auth sends the API key in it`, "value_invalid");
  const named = headers.map(({ name, value }) => [name, headerOf(name, value, facts)] as const);
  const content = contentOf(body, facts);
  const head = JSON.stringify({ method, url: address, headers: Object.fromEntries(named), ...content });
  const members = Object.entries(settings).map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  return `${head.slice(0, -1)},${members.join(",")}}`;
}

function urlOf(url: Template, query: readonly Named[], facts: Facts): string {
  const text = fillText(url, facts, (path) => encoded(valueAt(path, facts)));
  const [path = "", ...search] = text.split("?");
  // A URL parser would remove such segments, and with them the ones before.
  if (
    path
      .split("/")
      .slice(3)
      .some((segment) => DOT_SEGMENT.test(segment))
  )
    throw new FillError("would have . or .. as a part of the URL's path", "value_invalid");
  const added = query.map(({ name, value }) => `${encodeURIComponent(name)}=${encoded(templateText(value, facts))}`);
  const all = [...(search.length === 0 ? [] : [search.join("?")]), ...added].filter((part) => part !== "");
  const address = all.length === 0 ? path : `${path}?${all.join("&")}`;
  if (address.length > MAX_URL) throw longUrl();
  return address;
}

function encoded(value: string): string {
  if (value.length > MAX_URL) throw longUrl();
  return encodeURIComponent(value.toWellFormed());
}

function longUrl(): FillError {
  return new FillError(`would have a URL of more than ${MAX_URL} characters`, "value_invalid");
}

function headerOf(name: string, value: Template, facts: Facts): string {
  const text = templateText(value, facts);
  if (text.length > MAX_HEADER || NOT_IN_HEADER.test(text))
    throw new FillError(
      `would have a value of the header ${name} that is too long or has invalid characters`,
      "value_invalid",
    );
  return text;
}

interface Content {
  readonly body: string | null;
  readonly content_type: string | null;
}

function contentOf(body: HttpTemplate["body"], facts: Facts): Content {
  switch (body.kind) {
    case "none":
      return { body: null, content_type: null };
    case "json":
      assertPresent(body.json.paths, facts);
      return { body: filled(body.json, facts), content_type: "application/json" };
    case "form":
      return { body: formOf(body.fields, facts), content_type: "application/x-www-form-urlencoded" };
    default:
      return { body: templateText(body.text, facts), content_type: "text/plain; charset=utf-8" };
  }
}

function formOf(fields: readonly Named[], facts: Facts): string {
  const filledFields = fields.map(({ name, value }) => [name, templateText(value, facts).toWellFormed()]);
  const length = filledFields.flat().reduce((sum, text) => sum + text.length, 0);
  if (length > MAX_FORM) throw new FillError(`would be larger than ${MAX_FORM} bytes`);
  withinBudget(() => facts.budget.spend(length / ENCODED_PER_UNIT));
  return new URLSearchParams(filledFields).toString();
}

function templateText(template: Template, facts: Facts): string {
  return fillText(template, facts, valueAt);
}

/** Returns a value as text. A missing value would silently become a request to something else. */
function valueAt(path: Path, facts: Facts): string {
  const fact = facts.at(path);
  if (fact === undefined || fact.value === null) throw missing(path, fact === undefined ? "is missing" : "is null");
  return typeof fact.value === "string" ? fact.value : fact.text;
}

function assertPresent(paths: readonly Path[], facts: Facts): void {
  const absent = paths.find((path) => facts.at(path) === undefined);
  if (absent !== undefined) throw missing(absent, "is missing");
}

function missing({ text }: Path, what: string): FillError {
  return new FillError(`needs the value at ${text}, which ${what}`, "value_missing");
}
