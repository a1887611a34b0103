import type { Hidden } from "../../lib/lib.ts";

/** How a secret proves who sends a request. */
export interface Proof {
  readonly type: string;
  /** The header of an API key. */
  readonly header?: string | null;
  /** The place of an API key in an HTTP call, and the name of the header or of the parameter. */
  readonly in?: "header" | "query";
  readonly name?: string;
}

/** Returns the header that contains the secret; none for types that send no secret. */
export function authHeaders(proof: Proof, secret: Hidden): Record<string, string> {
  const { type } = proof;
  const header = keyHeader(proof);
  if (type === "bearer") return { Authorization: `Bearer ${secret.reveal()}` };
  if (type === "basic") return { Authorization: `Basic ${base64(secret.reveal())}` };
  return header === undefined ? {} : { [header]: secret.reveal() };
}

/** Returns the header that contains an API key; undefined for other types and places. */
export function keyHeader({ type, in: place, name, header }: Proof): string | undefined {
  return type === "api_key" && place !== "query" ? (name ?? header ?? undefined) : undefined;
}

/** Returns the URL with an API key in its query. Other types and places do not change it. */
export function withKeyParameter(url: string, { type, in: place, name }: Proof, value: string): string {
  if (type !== "api_key" || place !== "query" || name === undefined) return url;
  const separator = url.includes("?") ? (/[?&]$/.test(url) ? "" : "&") : "?";
  return `${url}${separator}${name}=${value}`;
}

/** Returns the texts in which a response could repeat the secret. */
export function secretForms({ type, in: place }: Proof, secret: Hidden): string[] {
  const text = secret.reveal();
  if (place === "query") return [text, ...encodedForms(text)];
  return type === "basic" ? [text, base64(text), text.slice(text.indexOf(":") + 1)] : [text];
}

/** Returns the text as a parameter's value in which a URL parser changes no character, so that the API repeats it as it is here. */
export function encodedParameter(text: string): string {
  const code = (one: string): string => `%${one.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, code);
}

/** Returns the spellings that a text has in a URL or a form, as APIs repeat them: in their log, a link or a redirect. */
function encodedForms(text: string): string[] {
  const form = new URLSearchParams({ "": text }).toString().slice(1);
  const once = [encodeURIComponent(text), encodedParameter(text), form];
  // A redirect to a sign-in page often contains the whole URL as a parameter.
  const forms = [...once, ...once.map((one) => encodeURIComponent(one))];
  return [...forms, ...forms.map((one) => one.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))];
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
