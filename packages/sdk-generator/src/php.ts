import type { Api, Emit } from "./model.ts";
import { emitResources } from "./php-resources.ts";
import { createShapes } from "./php-shapes.ts";
import { doc, HEADER, quoted } from "./php-text.ts";
import { answered, emitEnum, emitErrorCodes, emitEventNames, emitType } from "./php-types.ts";

/** Generates the generated half of the PHP SDK: `Junction\Resource`, `Junction\Type`, and a few other classes. */
export const emitPhp: Emit = (model) => {
  const api = renamed(model);
  const shapes = createShapes(api);
  const wanted = answered(api);
  const sent = new Set(api.enums.filter(({ request }) => request).map(({ name }) => name));
  const types = api.types.filter(({ name }) => wanted.has(name));
  const enums = api.enums.filter(({ name }) => wanted.has(name) || sent.has(name));
  return new Map([
    ["Api.php", emitApi(api)],
    ["fixtures.json", fixtures(api)],
    ["ErrorCode.php", emitErrorCodes(api.errors)],
    ...eventNames(api),
    ...shapes.files(),
    ...emitResources(api, shapes),
    ...types.map((type): [string, string] => [`Type/${type.name}.php`, emitType(type)]),
    ...enums.map((one): [string, string] => [`Type/${one.name}.php`, emitEnum(one)]),
  ]);
};

function eventNames({ events }: Api): [string, string][] {
  const canonical = "The canonical events. Any other name is a custom event; it is given as a text.";
  const own = "The events that the service fires itself. Endpoints get them when they name them.";
  return [
    [
      "EventName.php",
      emitEventNames(
        "EventName",
        canonical,
        events.filter((event) => event.canonical),
      ),
    ],
    [
      "SystemEventName.php",
      emitEventNames(
        "SystemEventName",
        own,
        events.filter((event) => !event.canonical),
      ),
    ],
  ];
}

function emitApi({ apiVersion }: Api): string {
  const about = "The dated version of the API that this SDK was made for; every request names it.";
  return [
    `${HEADER}\nnamespace Junction;\n\nfinal class Api\n{\n`,
    `${doc("    ", [about])}    public const VERSION = ${quoted(apiVersion)};\n}\n`,
  ].join("");
}

/** Returns the contract's examples, which the mock transport uses as responses. */
function fixtures({ operations, events, errors }: Api): string {
  const answers = operations.map(({ name, http, answer }) => {
    const body = answer.kind === "json" ? answer.example : null;
    return [name, { ...http, status: answer.status, body }];
  });
  const all = {
    operations: Object.fromEntries(answers),
    events: Object.fromEntries(events.map(({ name, example }) => [name, example])),
    errors: Object.fromEntries(errors.map(({ code, ...error }) => [code, error])),
  };
  return `${JSON.stringify(all, null, 2)}\n`;
}

/** Names of the SDK itself, which a generated class must not have. */
const TAKEN = new Set(
  "ApiEnum Call CallOptions Encode EventName Exception Expects Model Omit Page Read ResponseInfo Shapes SystemEventName Transport".split(
    " ",
  ),
);

/** Returns the contract with types renamed that have names of the SDK itself. */
function renamed(api: Api): Api {
  const free = (name: string): string => (TAKEN.has(name) ? `${name}Object` : name);
  const isNamed = (value: unknown): value is { kind: string; name: string } =>
    typeof value === "object" && value !== null && "kind" in value && (value.kind === "ref" || value.kind === "enum");
  const copy = JSON.parse(JSON.stringify(api), (_key, value: unknown) =>
    isNamed(value) ? { ...value, name: free(value.name) } : value,
  ) as Api;
  const types = copy.types.map((type) => ({ ...type, name: free(type.name) }));
  return { ...copy, types, enums: copy.enums.map((one) => ({ ...one, name: free(one.name) })) };
}
