import type { wire } from "../../api/api.ts";

/** A request as its sender would send it, before it is signed. */
export interface Sample {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request in the mapping of a source that has no sender. */
export const GENERIC: Sample = {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: `{"type":"payment.received","id":"evt_1","data":{"email":"ada@example.com","amount":1250}}`,
};

/** The service's own signature, which a source with a shared secret accepts in place of the sender's. */
export const OWN_SCHEME: wire.SignatureScheme = {
  kind: "hmac",
  algorithm: "sha256",
  encoding: "hex",
  header: "X-Service-Inbound-Signature",
};

/** The shell variables of the values that a signed text can contain. */
const VARIABLES: Readonly<Record<string, string>> = {
  body: '"$BODY"',
  timestamp: '"$TIME"',
  id: '"$ID"',
  url: '"$URL"',
  method: '"$METHOD"',
};
const TIMES: Readonly<Record<string, string>> = {
  seconds: "$(date +%s)",
  milliseconds: "$(date +%s)000",
  rfc3339: "$(date -u +%Y-%m-%dT%H:%M:%SZ)",
};

/**
 * Returns shell commands that sign a sample with openssl and send it with curl. Undefined for a scheme whose signature
 * cannot be made so, such as one with a private key of the sender.
 */
export function sampleCommand(scheme: wire.SignatureScheme, url: string, sample: Sample): string | undefined {
  if (scheme.kind === "hmac") return hmacCommand(scheme, url, sample);
  if (scheme.kind === "basic") return commandOf(url, sample, { setup: [], proof: [`-u "$SECRET"`] });
  if (scheme.kind !== "token" || scheme.header === undefined) return undefined;
  return commandOf(url, sample, { setup: [], proof: [headerOption(scheme.header, `${scheme.prefix ?? ""}$SECRET`)] });
}

function hmacCommand(scheme: wire.SignatureScheme, url: string, sample: Sample): string | undefined {
  const signed = signedParts(scheme.signed ?? "{body}");
  if (signed === undefined || scheme.header === undefined || !isShellReadable(scheme)) return undefined;
  const values = [
    { header: undefined, variable: "METHOD", command: quoted(sample.method) },
    { header: scheme.id_header, variable: "ID", command: `"test-$(date +%s)"` },
    { header: scheme.timestamp_header, variable: "TIME", command: TIMES[scheme.timestamp_unit ?? "seconds"] ?? "" },
  ].filter(({ header, variable }) => header !== undefined || signed.includes(`"$${variable}"`));
  return commandOf(url, withoutHeaders(sample, [scheme.header, scheme.id_header, scheme.timestamp_header]), {
    setup: [
      ...values.map(({ variable, command }) => `${variable}=${command}`),
      ...keyLines(scheme),
      `SIGNATURE=$(printf '%s' ${signed.join("")} | ${digestCommand(scheme)})`,
    ],
    proof: [
      ...values.flatMap(({ header, variable }) => (header === undefined ? [] : [headerOption(header, `$${variable}`)])),
      headerOption(scheme.header, signatureText(scheme)),
    ],
  });
}

/** Removes headers of the sample that the commands set. */
function withoutHeaders(sample: Sample, names: readonly (string | undefined)[]): Sample {
  const set = new Set(names.map((name) => name?.toLowerCase()));
  const left = Object.entries(sample.headers).filter(([name]) => !set.has(name.toLowerCase()));
  return { ...sample, headers: Object.fromEntries(left) };
}

function isShellReadable({ timestamp_path: path, encoding }: wire.SignatureScheme): boolean {
  return path === undefined && encoding !== "base64url";
}

function digestCommand(scheme: wire.SignatureScheme): string {
  const digest = `openssl dgst -${scheme.algorithm ?? "sha256"} ${keyOption(scheme)}`;
  return scheme.encoding === "base64" ? `${digest} -binary | openssl base64 -A` : `${digest} -hex | sed 's/^.* //'`;
}

/** Returns the signed text as words of a shell; undefined if it has a part that a shell cannot read from the request. */
function signedParts(template: string): string[] | undefined {
  const parts = template.split(/(\{[a-z]+(?::[^{}]+)?\})/).filter((part) => part !== "");
  const words = parts.map((part) => (part.startsWith("{") ? VARIABLES[part.slice(1, -1)] : quoted(part)));
  return words.some((word) => word === undefined) ? undefined : words.filter((word) => word !== undefined);
}

function keyLines({ secret_encoding: encoding = "text", secret_prefix: prefix }: wire.SignatureScheme): string[] {
  if (encoding !== "base64") return [];
  const bare = prefix === undefined ? "$SECRET" : `\${SECRET#${prefix}}`;
  return [String.raw`KEY=$(printf '%s' "${bare}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')`];
}

function keyOption({ secret_encoding: encoding = "text" }: wire.SignatureScheme): string {
  if (encoding === "hex") return `-mac HMAC -macopt "hexkey:$SECRET"`;
  return encoding === "base64" ? `-mac HMAC -macopt "hexkey:$KEY"` : `-hmac "$SECRET"`;
}

function signatureText(scheme: wire.SignatureScheme): string {
  const signature = `${scheme.prefix ?? ""}$SIGNATURE`;
  if (scheme.format !== "pairs") return signature;
  const member = `${scheme.signature_member ?? ""}=${signature}`;
  return scheme.timestamp_member === undefined
    ? member
    : `${scheme.timestamp_member}=$TIME${scheme.separator ?? ","}${member}`;
}

interface Parts {
  readonly setup: readonly string[];
  /** Options of curl that prove the request. */
  readonly proof: readonly string[];
}

function commandOf(url: string, { method, headers, body }: Sample, { setup, proof }: Parts): string {
  const options = [
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...proof,
    `--data-binary "$BODY"`,
  ];
  return [
    "SECRET='…'",
    `URL=${quoted(url)}`,
    `BODY=${quoted(body)}`,
    ...setup,
    `curl -X ${method} "$URL" \\\n  ${options.join(" \\\n  ")}`,
  ].join("\n");
}

function headerOption(name: string, value: string): string {
  return `-H "${name}: ${value}"`;
}

/** Returns a text as one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
