import { Ajv } from "ajv";
import type { Pins, Version } from "../registry/connectors.ts";
import { HostError } from "../sandbox/hosts.ts";
import { once, parseJson, t } from "../../lib/lib.ts";
import type { Handles } from "./handles.ts";

export const FIXTURES = "fixtures/http.json";
const Fixture = t.Object(
  {
    request: t.Object(
      {
        method: t.String({ maxLength: 10 }),
        url: t.String({ maxLength: 2000 }),
        /** Text that the body must contain, for APIs with one address for every call, such as JSON-RPC. */
        contains: t.Optional(t.String({ minLength: 1, maxLength: 2000 })),
        /**
         * True for a POST that may be repeated, such as a search or an update to fixed values. The conformance kit
         * counts the others.
         */
        repeatable: t.Optional(t.Boolean()),
      },
      t.strict,
    ),
    response: t.Object(
      {
        status: t.Integer({ minimum: 200, maximum: 599 }),
        headers: t.Optional(
          t.Unsafe<Record<string, string>>({ type: "object", additionalProperties: { type: "string" } }),
        ),
        body: t.Optional(t.String()),
        json: t.Optional(t.Unknown()),
      },
      t.strict,
    ),
  },
  t.strict,
);
export type Fixture = t.Static<typeof Fixture>;

/**
 * Returns the sandbox responses of a version, or null if its folder has none. Throws HostError `failed` if they are
 * invalid.
 */
export type Fixtures = (version: Version) => Promise<readonly Fixture[] | null>;

const MAX_KEPT = 100;
const form = once(() => new Ajv({ strict: false }).compile({ type: "array", maxItems: 500, items: Fixture }));

/** Caches the fixtures, because the files of a version never change. */
export function createFixtures({ files }: Pick<Pins, "files">): Fixtures {
  const kept = new Map<string, readonly Fixture[] | null>();
  return async (version) => {
    const known = kept.get(version.digest);
    if (known !== undefined) return known;
    const read = readFixtures((await files(version)).get(FIXTURES));
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(version.digest, read);
    return read;
  };
}

/** A request to be answered in the sandbox. */
export interface Answerable {
  readonly method: string;
  readonly url: URL;
  /** The body, with handles in place of secrets. */
  readonly content: string;
}

/** Returns the response of the first fixture that matches. Throws HostError `failed` if none does. */
export function fixtureAnswer(
  fixtures: readonly Fixture[] | null,
  asked: Answerable,
  handles: Pick<Handles, "shown">,
): { readonly status: number; readonly headers: Record<string, string>; readonly body: string } {
  const { method, url } = asked;
  const found = fixtureFor(fixtures, asked, handles);
  if (found === undefined)
    throw new HostError(
      "failed",
      `Nothing is called in the sandbox, and ${FIXTURES} has no response for ${method} ${url.origin}${url.pathname}.`,
    );
  const { status, headers = {}, body, json } = found.response;
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const type = json === undefined ? {} : { "content-type": "application/json" };
  const text = json === undefined ? (body ?? "") : JSON.stringify(json);
  return { status, headers: { ...type, ...Object.fromEntries(lower) }, body: text };
}

/**
 * Returns the first fixture that matches. In its URL, `*` matches any text and `{settings.<name>}` is the value of a
 * setting.
 */
export function fixtureFor(
  fixtures: readonly Fixture[] | null,
  { method, url, content }: Answerable,
  handles: Pick<Handles, "shown">,
): Fixture | undefined {
  return (fixtures ?? []).find(
    ({ request }) =>
      request.method.toUpperCase() === method &&
      fits(filled(request.url, handles), url.href) &&
      content.includes(request.contains ?? ""),
  );
}

/** Throws HostError `failed` if the fixtures are invalid. */
export function readFixtures(bytes: Buffer | undefined): readonly Fixture[] | null {
  if (bytes === undefined) return null;
  const value = parseJson(bytes.toString("utf8"));
  const isOfForm = form();
  if (isOfForm(value)) return value as Fixture[];
  const [fault] = isOfForm.errors ?? [];
  throw new HostError(
    "failed",
    `${FIXTURES} is not valid: ${[fault?.instancePath, fault?.message].filter(Boolean).join(" ")}.`,
  );
}

function filled(pattern: string, { shown }: Pick<Handles, "shown">): string {
  return pattern.replaceAll(/\{settings\.([a-z][a-z0-9_]{0,63})\}/g, (_all, name: string) =>
    String(shown(name) ?? "").replace(/(?<!\/)\/+$/, ""),
  );
}

/** Matches without a regular expression from untrusted text, in linear time in the URL for each part. */
function fits(pattern: string, url: string): boolean {
  const parts = pattern.split("*");
  const [first = "", ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return url === pattern;
  if (!url.startsWith(first) || !url.endsWith(last) || url.length < first.length + last.length) return false;
  let at = first.length;
  const end = url.length - last.length;
  for (const part of rest) {
    const found = url.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
