import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { bodyFields, fieldName, isNamedAsSecret } from "../testing/secret-fields.ts";

const document = JSON.parse(
  await readFile(new URL("../../../../openapi/openapi.json", import.meta.url), "utf8"),
) as unknown;
const fields = bodyFields(document);

/** The same of the objects in a configuration, whose headers are `[redacted]` or name a secret. */
const IN_CONFIGURATION: Readonly<Record<string, string>> = {
  "contracts.0.key": "names the contract",
  "contracts.0.auth.secret_ref": "names a secret of `secrets.put`",
  "contracts.0.auth.header": "the name of a header",
  "sources.0.scheme.header": "the name of a header",
  "sources.0.scheme.timestamp_header": "the name of a header",
  "sources.0.scheme.id_header": "the name of a header",
  "sources.0.scheme.secret_prefix": "the text before every secret of a sender",
  "sources.0.handshakes.0.when.header.0": "the name of a header",
  "sources.0.handshakes.0.answer.headers.*": "only WebHook-Allowed-*, which any caller is sent",
  "sources.0.event_type_header": "the name of a header",
  "sources.0.idempotency_key_header": "the name of a header",
  "endpoints.0.transform.headers.*": "refused if it is named like a credential",
  "endpoints.0.ordering.key": "a path to what deliveries are ordered by",
  "endpoints.0.auth.secret_ref": "names a secret of `secrets.put`",
  "endpoints.0.auth.header": "the name of a header",
  "endpoints.0.auth.token_url": "an address",
  "endpoints.0.auth.key_secret_ref": "names a secret of `secrets.put`",
};
/** Fields of a configuration that accept any value here, and are checked by the service. */
const OPEN_IN_CONFIGURATION: Readonly<Record<string, string>> = {
  "rules.0.then.0": "the actions of a rule, whose headers are refused if they have values of their own",
  "endpoints.0.headers": "refused unless it is `[redacted]` or names a secret of `secrets.put`",
};

function ofConfiguration(fieldsOf: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const entries = Object.entries(fieldsOf).flatMap(([name, why]) =>
    ["drift", "plan"].map((operation) => [`configuration.${operation} configuration.${name}`, why]),
  );
  return Object.fromEntries(entries);
}

/** Fields that are named like a secret but do not contain one. */
const NO_SECRETS: Readonly<Record<string, string>> = {
  ...ofConfiguration(IN_CONFIGURATION),
  "action_contracts.create key": "names the contract",
  "action_contracts.create auth.secret_ref": "names a secret of `secrets.put`",
  "action_contracts.create auth.header": "the name of a header",
  "action_contracts.update auth.secret_ref": "names a secret of `secrets.put`",
  "action_contracts.update auth.header": "the name of a header",
  "assistant.update secret_ref": "names a secret of `secrets.put`",
  "webhook_endpoints.create ordering.key": "a path to what deliveries are ordered by",
  "webhook_endpoints.update ordering.key": "a path to what deliveries are ordered by",
  "webhook_endpoints.lanes.retry key": "the value that names a lane",
  "webhook_endpoints.lanes.skip key": "the value that names a lane",
  "inbound_endpoints.create scheme.header": "the name of a header",
  "inbound_endpoints.create scheme.timestamp_header": "the name of a header",
  "inbound_endpoints.create scheme.id_header": "the name of a header",
  "inbound_endpoints.create scheme.secret_prefix": "the text before every secret of a sender",
  "inbound_endpoints.create event_type_header": "the name of a header",
  "inbound_endpoints.create handshakes.0.when.header.0": "the name of a header",
  "inbound_endpoints.create handshakes.0.answer.headers.*": "only WebHook-Allowed-*, which any caller is sent",
  "inbound_endpoints.create idempotency_key_header": "the name of a header",
  "inbound_endpoints.update scheme.header": "the name of a header",
  "inbound_endpoints.update scheme.timestamp_header": "the name of a header",
  "inbound_endpoints.update scheme.id_header": "the name of a header",
  "inbound_endpoints.update scheme.secret_prefix": "the text before every secret of a sender",
  "inbound_endpoints.update event_type_header": "the name of a header",
  "inbound_endpoints.update handshakes.0.when.header.0": "the name of a header",
  "inbound_endpoints.update handshakes.0.answer.headers.*": "only WebHook-Allowed-*, which any caller is sent",
  "inbound_endpoints.update idempotency_key_header": "the name of a header",
  "inbound_endpoints.preview headers.*": "an example that is kept nowhere",
  "inbound_endpoints.preview mapping.event_type_header": "the name of a header",
  "inbound_endpoints.preview mapping.idempotency_key_header": "the name of a header",
  "webhook_endpoints.create auth.secret_ref": "names a secret of `secrets.put`",
  "webhook_endpoints.create auth.header": "the name of a header",
  "webhook_endpoints.create auth.key_secret_ref": "names a secret of `secrets.put`",
  "webhook_endpoints.create auth.token_url": "an address",
  "webhook_endpoints.update auth.secret_ref": "names a secret of `secrets.put`",
  "webhook_endpoints.update auth.header": "the name of a header",
  "webhook_endpoints.update auth.key_secret_ref": "names a secret of `secrets.put`",
  "webhook_endpoints.update auth.token_url": "an address",
  ...ofDestinations("webhook_endpoints.create ", "webhook_endpoints.update "),
  ...ofDestinations("configuration.plan configuration.endpoints.0.", "configuration.drift configuration.endpoints.0."),
  "webhook_endpoints.create transform.headers.*": "refused if it is named like a credential",
  "webhook_endpoints.update transform.headers.*": "refused if it is named like a credential",
  "webhook_endpoints.transform.test transform.headers.*": "refused if it is named like a credential",
};

/** The fields of an endpoint's destination in these bodies. */
function ofDestinations(...bodies: readonly string[]): Record<string, string> {
  const named = {
    "sasl.secret_ref": "names a secret of `secrets.put`",
    secret_ref: "names a secret of `secrets.put`",
    partition_key: "a template of the keys of messages",
    routing_key: "a template of the keys of messages",
  };
  return Object.fromEntries(
    bodies.flatMap((body) => Object.entries(named).map(([name, why]) => [`${body}destination.${name}`, why])),
  );
}

/** Fields that accept any value, by the last part of their name, with their usual content. */
const ANYTHING: Readonly<Record<string, string>> = {
  callAction: "the arguments of another operation, whose own fields count",
  callMcp: "a message of MCP: the arguments of a contract's action",
  "connectors.webhook": "what a sender of the connector sends",
  body: "data of an event, which receivers and every role are shown",
  data: "data of an event, which receivers and every role are shown",
  expect: "the result of a test case, which is shown as it was written",
  enum: "the values that a parameter may have, which every caller of the action is shown",
  equals: "a value that is compared",
  schema: "a JSON Schema of an event type, which every role is shown",
  examples: "an example of an event type, which every role is shown",
  in: "the list of a loop in the definition of a workflow, which is shown as it was written",
  match: "conditions",
  parameters: "parameters of an action in the definition of a workflow, which is shown as it was written",
  payload: "an example that is kept nowhere",
  script: "what a scripted model answers",
  value: "a value that is compared",
  values: "the values of a step in the definition of a workflow, which is shown as it was written",
  clientExtensionResults: "what a browser adds to an answer of a passkey, which is ignored",
  auth: "names a secret of `secrets.put`",
  contact: "an example that is kept nowhere",
  form: "the fields of a call in the definition of a workflow, which is shown as it was written",
  input: "an example that is kept nowhere",
  query: "the parameters of a call in the definition of a workflow, which is shown as it was written",
  request: "an example that is kept nowhere",
  steps: "an example that is kept nowhere",
  all: "conditions",
  any: "conditions",
  not: "conditions",
};

test("every field named like a secret is marked in the contract or excepted", () => {
  const named = fields.filter((field) => isNamedAsSecret(field) && !field.open);
  const unmarked = named.filter(({ secret }) => !secret).map(fieldName);
  expect(unmarked.filter((name) => !(name in NO_SECRETS))).toEqual([]);
  expect(Object.keys(NO_SECRETS).filter((name) => !unmarked.includes(name))).toEqual([]);
});

test("every field without a schema is marked as secret or listed with its content", () => {
  const unlisted = fields.filter(({ operation, path, open, secret }) => {
    const last = path.findLast((step) => step !== "0" && step !== "*") ?? "";
    return open && !secret && !(last in ANYTHING) && !(operation in ANYTHING);
  });
  expect(unlisted.map(fieldName).toSorted()).toEqual(Object.keys(ofConfiguration(OPEN_IN_CONFIGURATION)).toSorted());
});
