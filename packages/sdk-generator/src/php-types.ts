import type { Api, ErrorCode, EventName, Field, NamedEnum, NamedType, Type } from "./model.ts";
import { orNull, reading } from "./php-reading.ts";
import { HEADER, camel, caseName, doc, namesIn, quoted, screaming, takesNull } from "./php-text.ts";

/**
 * Generates the types of responses: readonly classes, and enums with a case for values that this version does not know.
 */

const UNKNOWN = "Unknown";

export function emitType({ name, description, fields }: NamedType): string {
  const uses = ["Model", "ResponseInfo", ...(fields.some(isRead) ? ["Read"] : [])].toSorted();
  return [
    `${HEADER}\nnamespace Junction\\Type;\n\n${uses.map((used) => `use Junction\\${used};\n`).join("")}\n`,
    `${doc("", [description])}final readonly class ${name} extends Model\n{\n`,
    fields.map((field) => `${property(field)}\n`).join(""),
    `    /**\n     * @internal\n     *\n     * @param array<array-key, mixed> $raw\n     */\n`,
    `    public function __construct(array $raw, ?ResponseInfo $response = null)\n    {\n`,
    `        parent::__construct($raw, $response);\n${fields.map(assignment).join("")}    }\n}\n`,
  ].join("");
}

export function emitEnum({ name, values }: NamedEnum): string {
  const fallback = values.some((value) => caseName(value) === UNKNOWN) ? "Unrecognized" : UNKNOWN;
  const cases = values.map((value) => `    case ${caseName(value)} = ${quoted(value)};\n`);
  return [
    `${HEADER}\nnamespace Junction\\Type;\n\nuse Junction\\ApiEnum;\n\nenum ${name}: string implements ApiEnum\n{\n`,
    cases.join(""),
    `\n    /** A value that this version does not know; the object's \`raw()\` has its text. */\n    case ${fallback} = '';\n`,
    `\n    public static function of(string $value): static\n    {\n        return self::tryFrom($value) ?? self::${fallback};\n    }\n}\n`,
  ].join("");
}

/** Generates the names of events, which an editor completes. Any other text is a custom event. */
export function emitEventNames(name: string, about: string, events: readonly EventName[]): string {
  const cases = events.map((event) => {
    const data = event.data.kind === "ref" ? `Data: \`${event.data.name}\` of {@see EventData}.` : "";
    return `${doc("    ", [`${event.description} ${data}`])}    case ${caseName(event.name)} = ${quoted(event.name)};\n`;
  });
  return `${HEADER}\nnamespace Junction;\n\n${doc("", [about])}enum ${name}: string\n{\n${cases.join("\n")}}\n`;
}

export function emitErrorCodes(codes: readonly ErrorCode[]): string {
  const constants = codes.map(
    ({ code, status, title }) =>
      `${doc("    ", [`${status}. ${title}`])}    public const ${screaming(code)} = ${quoted(code)};\n`,
  );
  const about = "The values of {@see Exception\\ServiceException::$errorCode} that this version knows.";
  return `${HEADER}\nnamespace Junction;\n\n${doc("", [about])}final class ErrorCode\n{\n${constants.join("\n")}}\n`;
}

/** Returns the types and enums of answers and deliveries, at any depth. */
export function answered(api: Api): ReadonlySet<string> {
  const fields = new Map(api.types.map((type) => [type.name, type.fields]));
  const found = new Set<string>();
  const visit = (type: Type): void => {
    for (const name of namesIn(type).filter((one) => !found.has(one))) {
      found.add(name);
      for (const field of fields.get(name) ?? []) visit(field.type);
    }
  };
  for (const { answer, page } of api.operations) {
    if (page !== null) visit(page.item);
    else if (answer.kind === "json") visit(answer.type);
  }
  visit(api.delivery);
  return found;
}

function property(field: Field): string {
  const { php, annotation } = reading(field.type);
  const missing = isOptional(field);
  const note = annotation === null ? "" : `@var ${annotation}${missing ? "|null" : ""}`;
  return `${doc("    ", [field.description, note])}    public ${missing ? orNull(php) : php} $${camel(field.name)};\n`;
}

/** Returns an assignment. A required value that is missing stays unset, which is better than an invented value. */
function assignment(field: Field): string {
  const name = camel(field.name);
  const value = reading(field.type).expression(`$raw[${quoted(field.name)}] ?? null`);
  if (isOptional(field)) return `        $this->${name} = ${value};\n`;
  return `        $value = ${value};\n        if ($value !== null) {\n            $this->${name} = $value;\n        }\n`;
}

function isOptional(field: Field): boolean {
  return !field.required || takesNull(field);
}

function isRead(field: Field): boolean {
  return reading(field.type).php !== "mixed";
}
