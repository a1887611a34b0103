import type { FieldSpec } from "../item-kind.ts";

const BODY_METHODS = ["POST", "PUT", "PATCH"];
const METHODS = ["GET", "HEAD", ...BODY_METHODS, "DELETE"].map((value) => ({ value, label: value }));
const BODIES = [
  { value: "", label: "None" },
  { value: "body", label: "JSON" },
  { value: "form", label: "Form" },
  { value: "text", label: "Text" },
];
const BEARER = "bearer";
const BASIC = "basic";
const API_KEY = "api_key";
const OAUTH = "oauth2_client_credentials";
const AUTHS = [
  { value: "", label: "None" },
  { value: BEARER, label: "Bearer token" },
  { value: BASIC, label: "User name and password" },
  { value: API_KEY, label: "API key" },
  { value: OAUTH, label: "OAuth 2 client credentials" },
];
const KEY_PLACES = [
  { value: "header", label: "Header" },
  { value: "query", label: "Query parameter" },
];
const FLAG = [
  { value: "", label: "No" },
  { value: "true", label: "Yes" },
];
const AUTH = "Authentication";
const RESPONSE = "Response";

/** The fields of an HTTP call, which rules and workflows share. */
export const HTTP_FIELDS: readonly FieldSpec[] = [
  { name: "method", label: "Method", kind: "choice", options: METHODS, required: true, isShort: true },
  {
    name: "url",
    label: "URL",
    kind: "text",
    hint: "Begins with the scheme and the host, which can't contain values.",
    required: true,
    takesValues: true,
  },
  { name: "query", label: "Query parameters", kind: "pairs", one: "Parameter", takesValues: true },
  { name: "headers", label: "Headers", kind: "pairs", one: "Header", takesValues: true },
  {
    name: "content",
    label: "Body",
    kind: "choice",
    options: BODIES,
    selects: ["body", "form", "text"],
    only: { field: "method", values: BODY_METHODS },
    isShort: true,
  },
  {
    name: "body",
    label: "JSON body",
    kind: "value",
    hint: "A text that is only one value becomes the value itself, with all its digits.",
    required: true,
    takesValues: true,
    only: { field: "content", values: ["body"] },
  },
  {
    name: "form",
    label: "Form fields",
    kind: "pairs",
    one: "Field",
    takesValues: true,
    only: { field: "content", values: ["form"] },
  },
  {
    name: "text",
    label: "Text body",
    kind: "long",
    required: true,
    takesValues: true,
    only: { field: "content", values: ["text"] },
  },
  { name: "auth/type", label: "Authentication type", kind: "choice", options: AUTHS, section: AUTH, isShort: true },
  {
    name: "auth/secret_ref",
    label: "Secret name",
    kind: "text",
    hint: "Only the name is stored in the definition.",
    suggest: "secrets",
    required: true,
    isShort: true,
    only: { field: "auth/type", values: [BEARER, BASIC, API_KEY, OAUTH] },
  },
  {
    name: "auth/in",
    label: "API key in",
    kind: "choice",
    options: KEY_PLACES,
    isShort: true,
    only: { field: "auth/type", values: [API_KEY] },
  },
  {
    name: "auth/name",
    alias: "auth/header",
    label: "Header or parameter",
    kind: "text",
    hint: "For example, X-API-Key.",
    required: true,
    isShort: true,
    only: { field: "auth/type", values: [API_KEY] },
  },
  {
    name: "auth/token_url",
    label: "Token URL",
    kind: "text",
    required: true,
    only: { field: "auth/type", values: [OAUTH] },
  },
  {
    name: "auth/client_id",
    label: "Client ID",
    kind: "text",
    required: true,
    isShort: true,
    only: { field: "auth/type", values: [OAUTH] },
  },
  {
    name: "auth/scope",
    label: "Scope",
    kind: "text",
    hint: "Optional.",
    isShort: true,
    only: { field: "auth/type", values: [OAUTH] },
  },
  {
    name: "sign",
    label: "Sign the request",
    kind: "flag",
    options: FLAG,
    hint: "With Standard Webhooks headers.",
    isShort: true,
  },
  {
    name: "success_when",
    label: "Success condition",
    kind: "condition",
    hint: "Without conditions, each status from 200 to 299 is a success.",
    isAboutResponse: true,
    section: RESPONSE,
  },
  {
    name: "timeout_ms",
    label: "Timeout (ms)",
    kind: "whole",
    hint: "100 to 30000. Default: 10000.",
    isShort: true,
  },
  {
    name: "retries",
    label: "Retries",
    kind: "whole",
    hint: "0 to 5. Default: 3.",
    isShort: true,
  },
  {
    name: "expose",
    label: "Response fields to keep",
    kind: "tags",
    hint: "Members of the JSON body. Leave empty to keep all.",
  },
];
