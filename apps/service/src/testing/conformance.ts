import { Ajv } from "ajv";
import type { ValidateFunction } from "ajv";
import addFormats from "ajv-formats";

export interface Answered {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string | null;
  readonly headers: { has(name: string): boolean };
  readonly body: unknown;
}

/** The parts of the contract that responses are checked against. */
export interface ContractDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ContractOperation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, ContractResponse>>; readonly schemas: object };
}

export interface ContractOperation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, ContractResponse | { readonly $ref: string }>>;
}

interface ContractResponse {
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
  readonly headers?: object;
}

/** Returns a validator for schemas of the contract, which may refer to its components. */
export function contractValidator(document: { readonly components: object }): Ajv {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: "contract", components: document.components });
  return ajv;
}

/** Rewrites references to components, which start at the document's root, for a schema that is compiled alone. */
export function rooted(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"contract#/components/')) as object;
}

/** Returns a function that throws for a response whose status, content type, body or error code is not in the published contract. */
export function createConformance(document: ContractDocument): (answered: Answered) => void {
  const ajv = contractValidator(document);
  const compiled = new Map<string, ValidateFunction>();
  const routes = Object.entries(document.paths).map(([template, item]) => ({ pattern: patternOf(template), item }));

  function validateBody(name: string, schema: object, body: unknown): void {
    const known = JSON.stringify(schema);
    const validate = compiled.get(known) ?? ajv.compile(rooted(schema));
    compiled.set(known, validate);
    if (!validate(body))
      throw new Error(`${name} with a body against the contract: ${ajv.errorsText(validate.errors)}`);
  }

  function operationOf({ method, path }: Answered): ContractOperation | undefined {
    const bare = path.replace(/\?.*$/, "");
    const name = method.toLowerCase();
    return routes.find(({ pattern, item }) => pattern.test(bare) && name in item)?.item[name];
  }

  return (answered) => {
    const operation = operationOf(answered);
    // Other paths and methods respond with 404 and 405, which belong to no operation.
    if (operation === undefined) return;
    const { status, headers, body } = answered;
    const type = (answered.contentType ?? "").replace(/;.*$/, "");
    const name = `${answered.method} ${answered.path} (${operation.operationId}) answered ${status} ${type}`;
    const responses = [operation.responses[status], operation.responses["default"]].flatMap((one) =>
      resolved(document, one),
    );
    if (responses.length === 0)
      throw new Error(`${name}, which the contract does not have: give the route a response, or \`config.errors\``);
    if (!headers.has("x-service-request-id")) throw new Error(`${name} without X-Service-Request-Id`);
    if (body === undefined) return;
    const media = responses.map((one) => one.content?.[type]).find((one) => one !== undefined);
    if (media === undefined) throw new Error(`${name}: the contract has the status, but not with this type`);
    if (type.endsWith("json")) validateBody(name, media.schema, body);
  };
}

function resolved(
  document: ContractDocument,
  response: ContractResponse | { readonly $ref: string } | undefined,
): ContractResponse[] {
  if (response === undefined) return [];
  if (!("$ref" in response)) return [response];
  const named = document.components.responses[response.$ref.slice("#/components/responses/".length)];
  return named === undefined ? [] : [named];
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, "[^/]+").replaceAll(".", "\\.")}$`);
}
