import { isIPv4, isIPv6 } from "node:net";
import { parseRfc3339 } from "../../lib/lib.ts";
import type { WorkBudget } from "../../lib/lib.ts";

/** Returns true if a text has the format. The caller has paid for each of its characters. */
type FormatCheck = (text: string, budget: Pick<WorkBudget, "spend">) => boolean;

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{2}:\d{2}:\d{2}/;
/** RFC 3339, appendix A: weeks alone, and no unit between two others left out. */
const DURATION =
  /^P(?:\d+W|(?=[\dT])(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const POINTER = /^(?:\/(?:[^/~]|~[01])*)*$/;
const RELATIVE_POINTER = /^(?:0|[1-9]\d*)(?:#|(\/.*)?)$/s;

/**
 * The formats that are checked, as JSON Schema 2020-12 defines them. The metaschema leaves the list of formats to the
 * implementation: a schema that names another one is refused, because it would have no effect.
 */
export const formats: Readonly<Record<string, FormatCheck>> = {
  date: (text) => DAY.test(text) && parseRfc3339(`${text}T00:00:00Z`) !== undefined,
  "date-time": (text) => parseRfc3339(text) !== undefined,
  time: (text) => TIME.test(text) && parseRfc3339(`2026-01-01T${text}`) !== undefined,
  duration: (text) => DURATION.test(text),
  email: (text) => isEmail(text, EMAIL),
  "idn-email": (text) => isEmail(text, IDN_EMAIL),
  hostname: isHostname,
  uri: (text) => isReference(text, URI),
  "uri-reference": (text) => isReference(text, URI_REFERENCE),
  iri: (text) => isReference(text, IRI),
  "iri-reference": (text) => isReference(text, IRI_REFERENCE),
  "uri-template": (text) => URI_TEMPLATE.test(text),
  uuid: (text) => UUID.test(text),
  ipv4: isIPv4,
  ipv6: isAddress6,
  "json-pointer": (text) => POINTER.test(text),
  "relative-json-pointer": (text) => {
    const steps = RELATIVE_POINTER.exec(text);
    return steps !== null && POINTER.test(steps[1] ?? "");
  },
  regex: isExpression,
};

const OTHERS = String.raw`\u{80}-\u{10FFFF}`;
const EMAIL = email("");
const IDN_EMAIL = email(OTHERS);

/** RFC 5321, `Mailbox`. `more` are the characters that RFC 6531 adds. */
function email(more: string): RegExp {
  const atom = String.raw`[A-Za-z0-9!#$%&'*+\-\/=?^_\x60{|}~${more}]`;
  const quoted = String.raw`"(?:[ !#-\[\]-~${more}]|\\[ -~])*"`;
  return new RegExp(
    `^(?<local>${atom}+(?:\\.${atom}+)*|${quoted})@(?:\\[(?<address>[^\\]]+)\\]|(?<domain>[^@]+))$`,
    "u",
  );
}

const MAX_EMAIL = 320;
const MAX_LOCAL_BYTES = 64;

function isEmail(text: string, form: RegExp): boolean {
  if (text.length > MAX_EMAIL) return false;
  const { local = "", address, domain = "" } = form.exec(text)?.groups ?? {};
  if (local === "" || Buffer.byteLength(local) > MAX_LOCAL_BYTES) return false;
  if (address !== undefined) return isAddressLiteral(address);
  return form === EMAIL ? isHostname(domain) : DOMAIN.test(domain);
}

function isAddressLiteral(text: string): boolean {
  return isIPv4(text) || (/^IPv6:/i.test(text) && isAddress6(text.slice("IPv6:".length)));
}

/** Node also accepts an address with a zone. */
function isAddress6(text: string): boolean {
  return isIPv6(text) && !text.includes("%");
}

const LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const HOSTNAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);
const UNICODE_LABEL = `[A-Za-z0-9${OTHERS}](?:[A-Za-z0-9${OTHERS}-]{0,61}[A-Za-z0-9${OTHERS}])?`;
const DOMAIN = new RegExp(`^${UNICODE_LABEL}(?:\\.${UNICODE_LABEL})*$`, "u");
const MAX_HOSTNAME = 253;

/** RFC 1123, which knows no Punycode: what a label of it stands for is not read. */
function isHostname(text: string): boolean {
  return text.length <= MAX_HOSTNAME && HOSTNAME.test(text);
}

const URI = reference({ more: "", needsScheme: true });
const URI_REFERENCE = reference({ more: "", needsScheme: false });
/** RFC 3987: also letters of other scripts, without what Unicode keeps for private use and as no characters. */
const LETTERS = String.raw`\u{A0}-\u{D7FF}\u{F900}-\u{FDCF}\u{FDF0}-\u{FFEF}\u{10000}-\u{EFFFD}`;
const IRI = reference({ more: LETTERS, needsScheme: true });
const IRI_REFERENCE = reference({ more: LETTERS, needsScheme: false });

/** RFC 3986, appendix A. Each step has one way to match, so that the time is linear. */
function reference({ more, needsScheme }: { readonly more: string; readonly needsScheme: boolean }): RegExp {
  const plain = String.raw`A-Za-z0-9\-._~!$&'()*+,;=${more}`;
  const some = (others: string): string => `(?:[${plain}${others}]|%[0-9A-Fa-f]{2})*`;
  const segment = some(":@");
  const authority = `//(?:${some(":")}@)?(?:\\[(?<literal>[^\\]]*)\\]|${some("")})(?::\\d*)?(?:/${segment})*`;
  const rootless = `(?!//)/?${some(":@/")}`;
  const relative = `(?!//)(?![^/?#]*:)/?${some(":@/")}`;
  const scheme = "[A-Za-z][A-Za-z0-9+.\\-]*:";
  const hierarchy = `${scheme}(?:${authority}|${rootless})`;
  const path = needsScheme ? hierarchy : `(?:${hierarchy}|${authority.replace("?<literal>", "?<other>")}|${relative})`;
  // The parameters of an IRI can be of private use.
  const secret = more === "" ? "" : String.raw`\u{E000}-\u{F8FF}\u{F0000}-\u{10FFFD}`;
  return new RegExp(`^${path}(?:\\?${some(`:@/?${secret}`)})?(?:#${some(":@/?")})?$`, "u");
}

const FUTURE_ADDRESS = /^v[0-9a-f]+\.[\w\-.~!$&'()*+,;=:]+$/i;

function isReference(text: string, form: RegExp): boolean {
  const match = form.exec(text);
  if (match === null) return false;
  const literal = match.groups?.["literal"] ?? match.groups?.["other"];
  return literal === undefined || isAddress6(literal) || FUTURE_ADDRESS.test(literal);
}

/** RFC 6570, section 2. */
const VARIABLE = String.raw`(?:\w|%[0-9A-Fa-f]{2})(?:\.?(?:\w|%[0-9A-Fa-f]{2}))*(?:\*|:[1-9]\d{0,3})?`;
const LITERAL = String.raw`[!#$&'()*+,\-.\/0-9:;=?@A-Z\[\]_a-z~${LETTERS}\u{E000}-\u{F8FF}\u{F0000}-\u{10FFFD}]`;
const URI_TEMPLATE = new RegExp(
  String.raw`^(?:${LITERAL}|%[0-9A-Fa-f]{2}|\{[+#.\/;?&=,!@|]?${VARIABLE}(?:,${VARIABLE})*\})*$`,
  "u",
);

/** Units for a character of an expression, and for a class of Unicode in it. */
const CHARACTER = 1;
const UNICODE_CLASS = 2500;

/** An expression is only read here, and never matched. */
function isExpression(text: string, budget: Pick<WorkBudget, "spend">): boolean {
  budget.spend(text.length * CHARACTER + (text.match(/\\p/gi)?.length ?? 0) * UNICODE_CLASS);
  try {
    return new RegExp(text, "u") instanceof RegExp;
  } catch {
    return false;
  }
}
