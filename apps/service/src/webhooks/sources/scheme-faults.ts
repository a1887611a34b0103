import { HEADER_NAME, readPath } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";
import { hasPlaceholder, readPlaceholders } from "./placeholders.ts";
import type { Placeholders } from "./placeholders.ts";
import type { HmacScheme, JwtScheme, KeyScheme, Scheme, TokenScheme } from "./scheme.ts";

const SIGNED_MEMBERS = [
  "header",
  "signature_path",
  "format",
  "separator",
  "signature_member",
  "timestamp_member",
  "prefix",
  "signed",
  "timestamp_header",
  "timestamp_path",
  "timestamp_unit",
  "tolerance_seconds",
  "id_header",
  "over",
] as const;
const KEY_MEMBERS = { required: ["encoding", "secret_encoding"], optional: [...SIGNED_MEMBERS, "signature_form"] };

/** The members of each kind besides `kind`. */
const MEMBERS: Readonly<
  Record<Scheme["kind"], { readonly required: readonly string[]; readonly optional: readonly string[] }>
> = {
  hmac: {
    required: ["algorithm", "encoding"],
    optional: [...SIGNED_MEMBERS, "secret_encoding", "secret_prefix", "body_hash"],
  },
  ed25519: KEY_MEMBERS,
  ecdsa_p256: KEY_MEMBERS,
  basic: { required: [], optional: [] },
  token: { required: [], optional: ["header", "prefix", "query", "path"] },
  jwt: {
    required: ["header", "algorithms"],
    optional: ["prefix", "key", "jwks_url", "issuer", "audience", "body_hash"],
  },
  sns: { required: [], optional: [] },
};

/** Returns what is missing, unknown or contradictory in a scheme. `at` is the pointer to it. */
export function schemeFaults(scheme: Scheme, at: string): Violation[] {
  const faults = memberFaults(scheme, at);
  return faults.length > 0 ? faults : contradictions(scheme, at);
}

function memberFaults(scheme: Scheme, at: string): Violation[] {
  const { required, optional } = MEMBERS[scheme.kind];
  const members = Object.keys(scheme).filter((name) => name !== "kind");
  return [
    ...required
      .filter((name) => !members.includes(name))
      .map((name) => fault(`${at}/${name}`, `is required for the kind ${scheme.kind}`)),
    ...members
      .filter((name) => !required.includes(name) && !optional.includes(name))
      .map((name) => fault(`${at}/${name}`, `is not a member of the kind ${scheme.kind}`)),
    ...bodyHashFaults(scheme, at),
  ];
}

/** The hash of a body is in a claim of a JWT, and in the URL of an HMAC. */
function bodyHashFaults(scheme: Scheme, at: string): Violation[] {
  if ((scheme.kind !== "jwt" && scheme.kind !== "hmac") || scheme.body_hash === undefined) return [];
  const place = scheme.kind === "jwt" ? "claim" : "query";
  return Object.hasOwn(scheme.body_hash, place) && Object.keys(scheme.body_hash).length === 3
    ? []
    : [fault(`${at}/body_hash`, `must have ${place}, algorithm and encoding for the kind ${scheme.kind}`)];
}

function contradictions(scheme: Scheme, at: string): Violation[] {
  if (scheme.kind === "basic" || scheme.kind === "sns") return [];
  if (scheme.kind === "token") return tokenFaults(scheme, at);
  if (scheme.kind === "jwt") return jwtFaults(scheme, at);
  return signedFaults(scheme, at);
}

function fault(pointer: string, message: string): Violation {
  return { pointer, code: "scheme", message };
}

/** Something that a scheme with signatures must not be. */
interface Rule {
  readonly member: string;
  readonly message: string;
  breaks(scheme: HmacScheme | KeyScheme, signed: Placeholders): boolean;
}

const NEEDS_TIME = "needs timestamp_header, timestamp_path or timestamp_member";
const RULES: readonly Rule[] = [
  {
    member: "header",
    message: "set either header or signature_path",
    breaks: ({ header, signature_path: path }) => (header === undefined) === (path === undefined),
  },
  {
    member: "timestamp_header",
    message: "set one place of the timestamp only",
    breaks: (scheme) => timesOf(scheme).length > 1,
  },
  {
    member: "signed",
    message: `{timestamp} ${NEEDS_TIME}`,
    breaks: (scheme, signed) => hasPlaceholder(signed, "timestamp") && timesOf(scheme).length === 0,
  },
  {
    member: "tolerance_seconds",
    message: NEEDS_TIME,
    breaks: (scheme) => scheme.tolerance_seconds !== undefined && timesOf(scheme).length === 0,
  },
  {
    member: "signed",
    message: "must contain {timestamp}, because an unsigned time can be changed",
    breaks: (scheme, signed) =>
      timesOf(scheme).length > 0 && scheme.timestamp_path === undefined && !hasPlaceholder(signed, "timestamp"),
  },
  {
    member: "signed",
    message: "{id} needs id_header",
    breaks: (scheme, signed) => hasPlaceholder(signed, "id") && scheme.id_header === undefined,
  },
  {
    member: "signed",
    message: "must contain {body}, {form} or {body:$.path}, because other content can be changed",
    breaks: (scheme, signed) => !coversBody(scheme, signed),
  },
  {
    member: "signature_member",
    message: "is required for the format pairs",
    breaks: ({ format, signature_member: member }) => format === "pairs" && member === undefined,
  },
  {
    member: "format",
    message: "must be pairs for signature_member and timestamp_member",
    breaks: (scheme) => scheme.format !== "pairs" && (scheme.signature_member ?? scheme.timestamp_member) !== undefined,
  },
  {
    member: "signature_path",
    message: "is available for hmac only",
    breaks: ({ kind, signature_path: path }) => kind === "ed25519" && path !== undefined,
  },
];

function signedFaults(scheme: HmacScheme | KeyScheme, at: string): Violation[] {
  const signed = readPlaceholders(scheme.signed ?? "{body}");
  const form =
    signed === undefined || hasPlaceholder(signed, "hmac")
      ? [
          fault(
            `${at}/signed`,
            "may contain {body}, {timestamp}, {id}, {url}, {method}, {form}, {header:Name}, {query:name} and {body:$.path}",
          ),
        ]
      : RULES.filter((rule) => rule.breaks(scheme, signed)).map(({ member, message }) =>
          fault(`${at}/${member}`, message),
        );
  return [...headerFaults(scheme, at), ...pathFaults(scheme, at), ...form];
}

function timesOf(scheme: HmacScheme | KeyScheme): readonly string[] {
  return [scheme.timestamp_header, scheme.timestamp_path, scheme.timestamp_member].filter(
    (place) => place !== undefined,
  );
}

function coversBody({ signature_path: path }: HmacScheme | KeyScheme, signed: Placeholders): boolean {
  // A signature in the body cannot sign the whole body, so it may sign a few of its fields.
  if (path !== undefined) return hasPlaceholder(signed, "body");
  return signed.some(
    (part) => typeof part !== "string" && (part.name === "form" || (part.name === "body" && part.argument === "")),
  );
}

function headerFaults(scheme: object, at: string): Violation[] {
  return (["header", "timestamp_header", "id_header"] as const).flatMap((name) => {
    const value = (scheme as Record<string, unknown>)[name];
    return typeof value !== "string" || HEADER_NAME.test(value)
      ? []
      : [fault(`${at}/${name}`, "must be the name of a header")];
  });
}

function pathFaults(scheme: object, at: string): Violation[] {
  return (["signature_path", "timestamp_path", "path"] as const).flatMap((name) => {
    const value = (scheme as Record<string, unknown>)[name];
    return typeof value !== "string" || readPath(value) !== undefined
      ? []
      : [fault(`${at}/${name}`, "must be an RFC 9535 singular query, such as $.a.b")];
  });
}

function tokenFaults(scheme: TokenScheme, at: string): Violation[] {
  const places = [scheme.header, scheme.query, scheme.path].filter((place) => place !== undefined);
  const faults = [...headerFaults(scheme, at), ...pathFaults(scheme, at)];
  if (places.length !== 1) faults.push(fault(at, "set exactly one of header, query and path"));
  if (scheme.query === "t") faults.push(fault(`${at}/query`, "must not be t, which is the token of the URL"));
  return faults;
}

function jwtFaults(scheme: JwtScheme, at: string): Violation[] {
  const faults = headerFaults(scheme, at);
  if ((scheme.key === undefined) === (scheme.jwks_url === undefined))
    faults.push(fault(`${at}/key`, "set either key or jwks_url"));
  const isShared = scheme.key !== undefined;
  // A public key used as an HMAC secret would let anyone sign.
  if (scheme.algorithms.some((one) => one.startsWith("HS") !== isShared))
    faults.push(fault(`${at}/algorithms`, "must be HS256, HS384 or HS512 with key, and none of them with jwks_url"));
  if (scheme.jwks_url !== undefined && !scheme.jwks_url.startsWith("https://"))
    faults.push(fault(`${at}/jwks_url`, "must begin with https://"));
  return faults;
}
