import { firingFault } from "../../events/events.ts";
import { charsetNamed, MAX_PATH_LENGTH, readPath, ServiceError } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";
import { PATHS, SENDERS_OWN } from "./mapping.ts";
import { readKeyTemplate } from "./key-template.ts";
import type { Mapping } from "./mapping.ts";
import type { PresetKey } from "./presets.ts";
import { NO_SCORE } from "./score.ts";
import type { Score } from "./score.ts";
import type { Answer, Handshake } from "./handshake.ts";
import { handshakeFaults, unansweredFaults } from "./handshake-faults.ts";
import type { SignatureScheme } from "./named-schemes.ts";
import { schemeFaults } from "./scheme-faults.ts";
import type { Scheme } from "./scheme.ts";
import { senderOf } from "./senders.ts";
import { readSummaryTemplate } from "./summary-template.ts";
import { secretFault } from "./verifier.ts";

const KEY_TEMPLATE_ADVICE =
  "must contain at least one token, and only complete tokens with singular queries, such as ${$.a.b} or ${a.b}, or ${@cloudevent.id}";

/** The fields of a mapping in a caller's body. */
export type MappingInput = Partial<Omit<Mapping, "score">> & { readonly score?: Partial<Score> };

export interface SourceChangeInput extends MappingInput {
  readonly name?: string;
  readonly description?: string;
  readonly active?: boolean;
  readonly signature_scheme?: SignatureScheme;
  readonly scheme?: Scheme;
  readonly event_name?: string | null;
  readonly respond?: Answer | null;
  readonly charset?: string | null;
  /** Null: those of the sender. */
  readonly handshakes?: readonly Handshake[] | null;
  /** The tenant, which a change can only repeat. */
  readonly tenant?: string | null;
}

export interface SourceInput extends SourceChangeInput {
  readonly preset?: PresetKey;
  readonly sender?: string;
  readonly secret?: string;
}

const PATH_ADVICE =
  `must be an RFC 9535 singular query of at most ${MAX_PATH_LENGTH} characters: names and indexes only, ` +
  "such as $.a.b, $['a'] or $.a[0]";
const TEMPLATE_ADVICE =
  "must contain only complete tokens with singular queries, such as ${$.a.b} or ${a.b}, or ${@tenant}";

/** Returns the faults of a mapping. `at` is the pointer to it. */
export function mappingFaults(input: MappingInput, at = ""): Violation[] {
  return [...pathFaults(input, at), ...templateFaults(input, at), ...pairFaults(input, at)];
}

function pathFaults(input: MappingInput, at: string): Violation[] {
  return pathsOf(input).flatMap(([pointer, text]): Violation[] => {
    const steps = readPath(text)?.steps;
    if (steps === undefined) return [{ pointer: at + pointer, code: "path", message: PATH_ADVICE }];
    const isWhole = steps.length === 0 && pointer.startsWith("/dedupe_ignore/");
    return isWhole ? [{ pointer: at + pointer, code: "path", message: "must lead to a member, not to the whole" }] : [];
  });
}

/** Returns each path of a mapping with the pointer to it. */
function pathsOf(input: MappingInput): [string, string][] {
  const each: [string, string][] = typeof input.each === "string" ? [["/each", input.each]] : [];
  const lists = [...PATHS, "dedupe_ignore" as const].flatMap((name) => {
    const choice = input[name] ?? null;
    if (choice === null || typeof choice === "string")
      return choice === null ? [] : [[`/${name}`, choice] satisfies [string, string]];
    return choice.map((path, index): [string, string] => [`/${name}/${index}`, path]);
  });
  return [...each, ...lists];
}

function templateFaults(
  { summary_template: summary, idempotency_key_template: key }: MappingInput,
  at: string,
): Violation[] {
  const faults: Violation[] = [];
  if (typeof summary === "string" && readSummaryTemplate(summary) === undefined)
    faults.push({ pointer: `${at}/summary_template`, code: "template", message: TEMPLATE_ADVICE });
  const parts = typeof key === "string" ? (readKeyTemplate(key) ?? []) : undefined;
  if (parts?.some((part) => typeof part !== "string") === false)
    faults.push({ pointer: `${at}/idempotency_key_template`, code: "template", message: KEY_TEMPLATE_ADVICE });
  return faults;
}

/** Pairs of which a mapping has at most one. Setting one removes the other. */
const PAIRS = [
  ["summary_template", "summary_path"],
  ["idempotency_key_template", "idempotency_key_path"],
] as const;

function pairFaults(input: MappingInput, at: string): Violation[] {
  return PAIRS.flatMap(([template, path]): Violation[] => {
    if ((input[template] ?? null) === null || (input[path] ?? null) === null) return [];
    const message = `must not be used together with ${path}: send only one of them`;
    return [{ pointer: `${at}/${template}`, code: "conflict", message }];
  });
}

/** Throws 422 with all faults of a new source or of a change. */
export function assertValidInput(input: SourceInput): void {
  const violations = [...mappingFaults(input), ...textFaults(input), ...choiceFaults(input), ...charsetFaults(input)];
  if (input.scheme !== undefined) violations.push(...schemeFaults(input.scheme, "/scheme"));
  violations.push(...handshakeFaults(input.handshakes ?? [], "/handshakes"));
  const fault = typeof input.event_name === "string" ? firingFault(input.event_name) : undefined;
  if (fault !== undefined) violations.push({ pointer: "/event_name", ...fault });
  if (violations.length > 0) throw new ServiceError("validation_failed", { errors: violations });
}

/** Returns the faults of members that exclude each other. */
function choiceFaults({ sender, preset, signature_scheme: name, scheme, respond }: SourceInput): Violation[] {
  const faults: Violation[] = [];
  const add = (pointer: string, code: string, message: string): void => void faults.push({ pointer, code, message });
  if (sender !== undefined && senderOf(sender) === undefined)
    add("/sender", "unknown", "is not a sender of GET /v1/senders");
  if (sender !== undefined && preset !== undefined)
    add("/preset", "conflict", "must not be used together with sender: send only one of them");
  if (name !== undefined && scheme !== undefined)
    add("/scheme", "conflict", "must not be used together with signature_scheme: send only one of them");
  if (respond?.status === 204 && respond.body !== "")
    add("/respond/body", "conflict", "must be empty with the status 204");
  return faults;
}

function charsetFaults({ charset }: SourceInput): Violation[] {
  if (typeof charset !== "string" || charsetNamed(charset) !== undefined) return [];
  const message = "must be a character set of the Encoding Standard, such as windows-1252 or shift_jis";
  return [{ pointer: "/charset", code: "unknown", message }];
}

/** Throws 422 at the pointer if the scheme cannot use the secret. */
export function assertSecretFits(scheme: Scheme, secret: string, pointer: string): void {
  const message = secretFault(scheme, secret);
  if (message === undefined) return;
  throw new ServiceError("validation_failed", { errors: [{ pointer, code: "secret", message }] });
}

/** Throws 422 if the source would not answer one of these handshakes. */
export function assertAnswered(scheme: Scheme, handshakes: readonly Handshake[]): void {
  const errors = unansweredFaults(handshakes, scheme, "/handshakes");
  if (errors.length > 0) throw new ServiceError("validation_failed", { errors });
}

/** Returns the mapping with the given fields. Setting one of a pair removes the other. */
export function overlaid(mapping: Mapping, input: MappingInput): Mapping {
  const { score, ...fields } = input;
  const removed = PAIRS.flatMap(([template, path]) => [
    ...((fields[path] ?? null) === null ? [] : [[template, null]]),
    ...((fields[template] ?? null) === null ? [] : [[path, null]]),
  ]);
  const given = Object.fromEntries([
    ...Object.entries(SENDERS_OWN).flatMap(([name, path]) =>
      path !== null && path in fields ? [[name, undefined]] : [],
    ),
    ...removed,
    ...MAPPED.flatMap((name) => (name in fields ? [[name, fields[name]]] : [])),
  ]) as Partial<Mapping>;
  return { ...mapping, ...given, score: score === undefined ? mapping.score : { ...NO_SCORE, ...score } };
}

const MAPPED = [
  ...PATHS,
  "each",
  "contact",
  "event_type_header",
  "event_type_default",
  "idempotency_key_header",
  "idempotency_key_template",
  "value_unit",
  "summary_template",
  "dedupe_by_body",
  "dedupe_ignore",
] as const;

/** Returns the faults of texts that PostgreSQL cannot store, and that no valid text contains. */
function textFaults(input: SourceInput): Violation[] {
  const texts: [string, string | undefined | null][] = [
    ["/name", input.name],
    ["/description", input.description],
    ["/secret", input.secret],
    ["/summary_template", input.summary_template],
    ["/idempotency_key_template", input.idempotency_key_template],
    ["/event_type_default", input.event_type_default],
    ...pathsOf(input),
    ...Object.keys(input.score?.by_event_type ?? {}).map((name): [string, string] => ["/score/by_event_type", name]),
  ];
  return texts.flatMap(([pointer, text]): Violation[] => {
    if (typeof text !== "string" || (text.isWellFormed() && !text.includes("\u0000"))) return [];
    return [{ pointer, code: "text", message: "must be text without NUL and lone surrogates" }];
  });
}
