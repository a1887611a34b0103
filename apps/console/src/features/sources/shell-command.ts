import type { wire } from "../../api/api.ts";

/** The request that a command sends, and how its sender signs. */
export interface CommandInput {
  readonly url: string;
  readonly scheme: wire.SignatureScheme;
  readonly sample: wire.SenderSample;
}

/** The text that users replace with the secret. */
export const SECRET_LINE = "SECRET='…'";

/** Literal text, or the name of a shell variable. */
type Part = string | { readonly variable: string };

const SERVICE_SCHEME: wire.SignatureScheme = {
  kind: "hmac",
  algorithm: "sha256",
  encoding: "hex",
  header: "X-Service-Inbound-Signature",
};
const VARIABLES: Readonly<Record<string, string>> = { body: "BODY", timestamp: "TIMESTAMP", id: "ID", url: "URL" };
const TIMES: Readonly<Record<string, string>> = {
  seconds: "TIMESTAMP=$(date +%s)",
  milliseconds: "TIMESTAMP=$(date +%s)000",
  rfc3339: "TIMESTAMP=$(date -u +%Y-%m-%dT%H:%M:%SZ)",
};

/**
 * Returns a command for bash and zsh that sends the sample with the sender's own proof. Returns undefined for a proof that
 * needs more than a few lines: a private key, a web token, or a value within the body.
 */
export function senderCommand(input: CommandInput): string | undefined {
  const { scheme } = input;
  if (scheme.kind === "hmac") return hmacCommand(input);
  if (scheme.kind === "basic") return printed(input, { before: [SECRET_LINE], options: ['-u "$SECRET"'] });
  if (scheme.kind === "token") return tokenCommand(input);
  return undefined;
}

/** Returns a command that signs with the service's own signature, which sources also accept whose sender signs the body alone with an HMAC. */
export function serviceCommand(input: CommandInput): string | undefined {
  const { kind, header, signed = "{body}", timestamp_header: time, timestamp_member: member } = input.scheme;
  const hasTime = time !== undefined || member !== undefined || input.scheme.timestamp_path !== undefined;
  if (kind !== "hmac" || header === undefined || signed !== "{body}" || hasTime) return undefined;
  return hmacCommand({ ...input, scheme: SERVICE_SCHEME });
}

function tokenCommand(input: CommandInput): string | undefined {
  const { header, query, prefix = "" } = input.scheme;
  const secret = { variable: "SECRET" };
  if (header !== undefined) {
    const option = `-H ${word([`${header}: ${prefix}`, secret])}`;
    return printed(input, { before: [SECRET_LINE], options: [option], own: [header] });
  }
  if (query === undefined) return undefined;
  const address = word([{ variable: "URL" }, `&${query}=${prefix}`, secret]);
  return printed(input, { before: [SECRET_LINE], options: [], address });
}

function hmacCommand(input: CommandInput): string | undefined {
  const { scheme, sample } = input;
  const { header, timestamp_path: timePath, body_hash: bodyHash } = scheme;
  const signed = partsOf(scheme.signed ?? "{body}", sample.method);
  if (header === undefined || signed === undefined || timePath !== undefined || bodyHash !== undefined) {
    return undefined;
  }
  const key = keyOf(scheme);
  const more = headersOf(scheme);
  const digest = `openssl dgst -${scheme.algorithm ?? "sha256"} ${key.option} ${outputOf(scheme)}`;
  return printed(input, {
    before: [SECRET_LINE, ...key.lines, ...timeLines(scheme), ...(scheme.id_header === undefined ? [] : [ID_LINE])],
    signature: `SIGNATURE=$(printf '%s' ${word(signed)} | ${digest})`,
    options: [...more, [header, signatureValue(scheme)] as const].map(
      ([name, value]) => `-H ${word([`${name}: `, ...value])}`,
    ),
    own: [header, ...more.map(([name]) => name)],
  });
}

const ID_LINE = 'ID="msg_$(date +%s)"';

function timeLines(scheme: wire.SignatureScheme): readonly string[] {
  if (scheme.timestamp_header === undefined && scheme.timestamp_member === undefined) return [];
  return [TIMES[scheme.timestamp_unit ?? "seconds"] ?? ""];
}

/** Returns the headers that a signature needs in addition to its own. */
function headersOf(scheme: wire.SignatureScheme): readonly (readonly [name: string, value: readonly Part[]])[] {
  const { timestamp_header: time, id_header: id } = scheme;
  return [
    ...(time === undefined ? [] : [[time, [{ variable: "TIMESTAMP" }]] as const]),
    ...(id === undefined ? [] : [[id, [{ variable: "ID" }]] as const]),
  ];
}

interface Command {
  /** Lines before the variables of the request. */
  readonly before: readonly string[];
  /** The line that computes the signature. */
  readonly signature?: string;
  /** The options of curl that prove the sender. */
  readonly options: readonly string[];
  /** Headers of the sample that `options` replaces. */
  readonly own?: readonly string[];
  readonly address?: string;
}

function printed({ url, sample }: CommandInput, command: Command): string {
  const replaced = new Set((command.own ?? []).map((name) => name.toLowerCase()));
  const headers = Object.entries(sample.headers).filter(([name]) => !replaced.has(name.toLowerCase()));
  const curl = [
    `curl -X ${sample.method} ${command.address ?? '"$URL"'}`,
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...command.options,
    '--data-raw "$BODY"',
  ].join(" \\\n  ");
  const signature = command.signature === undefined ? [] : [command.signature];
  return [...command.before, `URL=${quoted(url)}`, `BODY=${quoted(sample.body)}`, ...signature, curl].join("\n");
}

/** The key is passed in hex if the secret is an encoding of bytes. */
function keyOf({ secret_encoding: encoding = "text", secret_prefix: prefix }: wire.SignatureScheme): {
  readonly lines: readonly string[];
  readonly option: string;
} {
  const plain = prefix === undefined ? "KEY=$SECRET" : `KEY=\${SECRET#${quoted(prefix)}}`;
  if (encoding === "text") {
    return prefix === undefined ? { lines: [], option: '-hmac "$SECRET"' } : { lines: [plain], option: '-hmac "$KEY"' };
  }
  const bytes = String.raw`KEY=$(printf '%s' "$KEY" | openssl base64 -d -A | od -An -vtx1 | tr -d ' \n')`;
  return { lines: encoding === "hex" ? [plain] : [plain, bytes], option: '-mac HMAC -macopt "hexkey:$KEY"' };
}

function outputOf({ encoding = "hex" }: wire.SignatureScheme): string {
  if (encoding === "hex") return "-hex | sed 's/^.* //'";
  const base64 = "-binary | openssl base64 -A";
  return encoding === "base64" ? base64 : `${base64} | tr '+/' '-_' | tr -d '='`;
}

function signatureValue(scheme: wire.SignatureScheme): readonly Part[] {
  const { format = "plain", separator = ",", timestamp_member: time, signature_member: member, prefix = "" } = scheme;
  const signature = { variable: "SIGNATURE" };
  if (format !== "pairs") return [prefix, signature];
  const before = time === undefined ? [] : [`${time}=`, { variable: "TIMESTAMP" }, separator];
  return [...before, `${member ?? ""}=${prefix}`, signature];
}

/** Returns the parts of a text such as `v0:{timestamp}:{body}`; undefined if it contains a value that the command does not have. */
function partsOf(text: string, method: string): readonly Part[] | undefined {
  const parts: Part[] = [];
  let done = 0;
  for (const { 0: token, 1: name = "", 2: argument, index } of text.matchAll(PLACEHOLDER)) {
    const variable = VARIABLES[name];
    if (argument !== undefined || (variable === undefined && name !== "method")) return undefined;
    parts.push(text.slice(done, index), variable === undefined ? method : { variable });
    done = index + token.length;
  }
  return [...parts, text.slice(done)].filter((part) => part !== "");
}

const PLACEHOLDER = /\{(body|timestamp|id|url|method|form|header|query)(?::([^{}]+))?\}/g;
/** Characters that have no meaning within double quotes. */
const HARMLESS = /^[\w .,:;=/|@&%+~-]*$/;

/** Returns one word of the shell. */
function word(parts: readonly Part[]): string {
  if (parts.every((part) => typeof part !== "string" || HARMLESS.test(part))) {
    return `"${parts.map((part) => (typeof part === "string" ? part : `\${${part.variable}}`)).join("")}"`;
  }
  return parts.map((part) => (typeof part === "string" ? quoted(part) : `"\${${part.variable}}"`)).join("");
}

/** Returns a text as a word of the shell in which nothing is expanded. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
