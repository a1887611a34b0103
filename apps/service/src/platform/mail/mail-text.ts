import { domainToASCII } from "node:url";
import { spelledOut } from "../../lib/lib.ts";

/** The content of a mail: paragraphs of plain text, and links of their own. */
export interface MailText {
  readonly subject: string;
  readonly blocks: readonly (string | MailLink)[];
}

export interface MailLink {
  readonly label: string;
  readonly url: string;
}

const MAX_SUBJECT = 200;
/** Matches exactly one address, without lists, names, comments or line breaks. */
const ADDRESS = /^[^\s<>()[\]\\,;:@"\p{Cc}]{1,64}@[A-Za-z0-9.-]{1,253}$/u;

/** Returns an address that a mail can be sent to, with its domain in ASCII. Returns undefined for any other text. */
export function mailAddress(text: string): string | undefined {
  const at = text.lastIndexOf("@");
  const address = `${text.slice(0, at)}@${domainToASCII(text.slice(at + 1))}`;
  return at > 0 && address.length <= 320 && ADDRESS.test(address) ? address : undefined;
}

/** Returns the subject in one line: a line break in it could add a header. */
export function subjectLine(text: string): string {
  const line = spelledOut(text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ").trim());
  return line.length > MAX_SUBJECT ? `${line.slice(0, MAX_SUBJECT - 1)}…` : line;
}

export function plainText({ blocks }: MailText): string {
  return `${blocks.map((block) => (typeof block === "string" ? spelledOut(block) : `${spelledOut(block.label)}:\n${block.url}`)).join("\n\n")}\n`;
}

/** Returns the same content as HTML, without images, styles or anything that is fetched. */
export function htmlText({ blocks }: MailText): string {
  const parts = blocks.map((block) =>
    typeof block === "string"
      ? `<p>${escapeHtml(block).replaceAll("\n", "<br>")}</p>`
      : `<p><a href="${escapeHtml(block.url)}">${escapeHtml(block.label)}</a></p>`,
  );
  return `<!doctype html><html><body>${parts.join("")}</body></html>`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return spelledOut(text).replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
}
