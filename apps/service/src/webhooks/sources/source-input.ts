import { firingFault } from "../../events/events.ts";
import { MAX_PATH_LENGTH, readPath, ServiceError } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";
import type { Mapping } from "./mapping.ts";
import type { PresetKey } from "./presets.ts";
import { NO_SCORE } from "./score.ts";
import type { Score } from "./score.ts";
import type { Answer } from "./handshake.ts";
import type { SignatureScheme } from "./named-schemes.ts";
import { schemeFaults } from "./scheme-faults.ts";
import type { Scheme } from "./scheme.ts";
import { senderOf } from "./senders.ts";
import { readSummaryTemplate } from "./summary-template.ts";
import { secretFault } from "./verifier.ts";

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
  /** The tenant, which a change can only repeat. */
  readonly tenant?: string | null;
}

export interface SourceInput extends SourceChangeInput {
  readonly preset?: PresetKey;
  readonly sender?: string;
  readonly secret?: string;
}

const PATHS = [
  "contact_email_path",
  "event_type_path",
  "idempotency_key_path",
  "contact_name_path",
  "value_path",
  "currency_path",
  "summary_path",
] as const;
const PATH_ADVICE =
  `must be an RFC 9535 singular query of at most ${MAX_PATH_LENGTH} characters: names and indexes only, ` +
  "such as $.a.b, $['a'] or $.a[0]";
const TEMPLATE_ADVICE =
  "must contain only complete tokens with singular queries, such as ${$.a.b} or ${a.b}, or ${@tenant}";

/** Returns the faults of a mapping. `at` is the pointer to it. */
export function mappingFaults(input: MappingInput, at = ""): Violation[] {
  const violations = PATHS.flatMap((name): Violation[] => {
    const text = input[name] ?? null;
    if (text === null || readPath(text) !== undefined) return [];
    return [{ pointer: `${at}/${name}`, code: "path", message: PATH_ADVICE }];
  });
  const template = input.summary_template ?? null;
  if (template !== null && readSummaryTemplate(template) === undefined) {
    violations.push({ pointer: `${at}/summary_template`, code: "template", message: TEMPLATE_ADVICE });
  }
  if (template !== null && (input.summary_path ?? null) !== null) {
    const message = "must not be used together with summary_path: send only one of them";
    violations.push({ pointer: `${at}/summary_template`, code: "conflict", message });
  }
  return violations;
}

/** Throws 422 with all faults of a new source or of a change. */
export function assertValidInput(input: SourceInput): void {
  const violations = [...mappingFaults(input), ...textFaults(input), ...choiceFaults(input)];
  if (input.scheme !== undefined) violations.push(...schemeFaults(input.scheme, "/scheme"));
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

/** Throws 422 at the pointer if the scheme cannot use the secret. */
export function assertSecretFits(scheme: Scheme, secret: string, pointer: string): void {
  const message = secretFault(scheme, secret);
  if (message === undefined) return;
  throw new ServiceError("validation_failed", { errors: [{ pointer, code: "secret", message }] });
}

/** Returns the mapping with the given fields. Setting one kind of summary removes the other. */
export function overlaid(mapping: Mapping, input: MappingInput): Mapping {
  const { score, ...fields } = input;
  const summary = {
    ...(typeof fields.summary_path === "string" ? { summary_template: null } : {}),
    ...(typeof fields.summary_template === "string" ? { summary_path: null } : {}),
  };
  const given = Object.fromEntries(MAPPED.flatMap((name) => (name in fields ? [[name, fields[name]]] : [])));
  return { ...mapping, ...summary, ...given, score: score === undefined ? mapping.score : { ...NO_SCORE, ...score } };
}

const MAPPED = [
  ...PATHS,
  "contact",
  "event_type_header",
  "idempotency_key_header",
  "value_unit",
  "summary_template",
  "dedupe_by_body",
] as const;

/** Returns the faults of texts that PostgreSQL cannot store, and that no valid text contains. */
function textFaults(input: SourceInput): Violation[] {
  const texts: [string, string | undefined | null][] = [
    ["/name", input.name],
    ["/description", input.description],
    ["/secret", input.secret],
    ["/summary_template", input.summary_template],
    ...PATHS.map((name): [string, string | undefined | null] => [`/${name}`, input[name]]),
    ...Object.keys(input.score?.by_event_type ?? {}).map((name): [string, string] => ["/score/by_event_type", name]),
  ];
  return texts.flatMap(([pointer, text]): Violation[] => {
    if (typeof text !== "string" || (text.isWellFormed() && !text.includes("\u0000"))) return [];
    return [{ pointer, code: "text", message: "must be text without NUL and lone surrogates" }];
  });
}
