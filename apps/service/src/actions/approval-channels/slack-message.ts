import type { Id } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { visible } from "../proposals/preview.ts";
import type { Preview, PreviewField } from "../proposals/proposals.schemas.ts";
import type { ProposalRow } from "../proposals/proposals.store.ts";
import { approveUrl } from "../proposals/proposal-view.ts";
import { conditionsOf, isFinal, outcomeOf, previewOfRow } from "./proposal-words.ts";

/** A message of the service in Slack. `text` is what notifications and screen readers use. */
export interface SlackMessage {
  readonly text: string;
  readonly blocks: readonly object[];
}

export const APPROVE = "junction_approve";
export const REJECT = "junction_reject";
export const LINK = "junction_link";
const OPEN = "junction_open";

const MAX_FIELDS = 40;
/** How a preview marks a value of which it shows the beginning. */
const CUT_VALUE = /… \(\d+ characters\)$/;
const FIELDS_OF_BLOCK = 10;
const MAX_HEADER = 150;
const MAX_SECTION = 2900;
const MAX_FIELD = 1900;
const MAX_CONFIRM = 290;

interface MessageFacts {
  readonly scope: Scope;
  readonly baseUrl: string;
  readonly row: ProposalRow;
  /** The id that the buttons carry. Null: there are none that decide. */
  readonly announcement: Id | null;
}

/** Returns the message about a proposal in its current state: with the server's preview, and buttons while it is open. */
export function proposalMessage({ scope, baseUrl, row, announcement }: MessageFacts): SlackMessage {
  const preview = previewOfRow(row);
  const url = approveUrl(baseUrl, scope.tag, row.id);
  const isOpen = row.state === "proposed";
  const isWhole = isShownWhole(preview);
  const decides = announcement !== null && isOpen && isWhole;
  return {
    text: escaped(isOpen ? `Approval: ${preview.title}` : `${preview.title}: ${outcomeOf(row)}`),
    blocks: [
      { type: "header", text: plain(preview.title, MAX_HEADER) },
      { type: "section", text: plain(headOf(preview), MAX_SECTION) },
      ...fieldBlocks(preview),
      ...(isWhole ? [] : [note("The message does not show all of the proposal. Review it in Junction.")]),
      ...statusOf(row, scope).map(note),
      {
        type: "actions",
        elements: [...(decides ? decisionButtons(announcement, row, preview) : []), openButton(url)],
      },
    ],
  };
}

/** Returns the message that a proposal still waits. */
export function reminderMessage({ scope, baseUrl, row }: Omit<MessageFacts, "announcement">): SlackMessage {
  const text = `Still waiting for approval: ${previewOfRow(row).title}`;
  return {
    text: escaped(text),
    blocks: [
      { type: "section", text: plain(text, MAX_SECTION) },
      note(conditionsOf(row, scope.environment)),
      { type: "actions", elements: [openButton(approveUrl(baseUrl, scope.tag, row.id))] },
    ],
  };
}

/** Returns a message with a button that opens the form for the code of a link. */
export function linkMessage(text: string): SlackMessage {
  return {
    text: escaped(text),
    blocks: [
      { type: "section", text: plain(text, MAX_SECTION) },
      {
        type: "actions",
        elements: [{ type: "button", action_id: LINK, text: plain("Enter the code", 75) }],
      },
    ],
  };
}

export function noteMessage(text: string): SlackMessage {
  return { text: escaped(text), blocks: [{ type: "section", text: plain(text, MAX_SECTION) }] };
}

/** The ids of the form for a code, and of its field. */
export const LINK_FORM = "junction_link_code";
export const CODE_FIELD = "code";

export function linkForm(): object {
  return {
    type: "modal",
    callback_id: LINK_FORM,
    title: plain("Link your account", 24),
    submit: plain("Link", 24),
    close: plain("Cancel", 24),
    blocks: [
      {
        type: "input",
        block_id: CODE_FIELD,
        label: plain("Code", 150),
        hint: plain("The code that your account page in Junction shows. Enter only your own.", 150),
        element: { type: "plain_text_input", action_id: CODE_FIELD, max_length: 40 },
      },
    ],
  };
}

function statusOf(row: ProposalRow, { environment }: Scope): string[] {
  if (isFinal(row.state)) return [outcomeOf(row)];
  const isFirst = row.state === "proposed" && row.approvals_required === 1;
  return [conditionsOf(row, environment), ...(isFirst ? [] : [outcomeOf(row)])];
}

/** Returns the form after the code was accepted. It names the account, so that a person sees a wrong one. */
export function linkedForm(name: string): object {
  const text = `Your Slack account now decides as ${name} in Junction. Was this not you? End the link on your account page.`;
  return {
    type: "modal",
    title: plain("Link your account", 24),
    close: plain("Close", 24),
    blocks: [{ type: "section", text: plain(text, MAX_SECTION) }],
  };
}

function decisionButtons(announcement: Id, row: ProposalRow, { title }: Preview): object[] {
  const value = `${announcement} ${row.params_hash.toString("hex")}`;
  const button = (action: string, word: string, style: "primary" | "danger"): object => ({
    type: "button",
    action_id: action,
    text: plain(word, 75),
    style,
    value,
    confirm: {
      title: plain(`${word}?`, 100),
      text: plain(title, MAX_CONFIRM),
      confirm: plain(word, 30),
      deny: plain("Cancel", 30),
      style,
    },
  });
  return [button(APPROVE, "Approve", "primary"), button(REJECT, "Reject", "danger")];
}

function openButton(url: string): object {
  return { type: "button", action_id: OPEN, text: plain("Open in Junction", 75), url };
}

/** A person decides only on what they can see, so that a message with less than the whole proposal has no buttons. */
function isShownWhole(preview: Preview): boolean {
  const { fields } = preview;
  if (fields.length > MAX_FIELDS || headOf(preview).length > MAX_SECTION) return false;
  return fields.every((field) => textOfField(field).length <= MAX_FIELD && !CUT_VALUE.test(field.value));
}

function textOfField({ name, description, value }: PreviewField): string {
  return `${name}${description === "" ? "" : ` (${description})`}\n${value}`;
}

function fieldBlocks({ fields }: Preview): object[] {
  const shown = fields.slice(0, MAX_FIELDS).map((field) => plain(textOfField(field), MAX_FIELD));
  const blocks = Array.from({ length: Math.ceil(shown.length / FIELDS_OF_BLOCK) }, (_, at) =>
    shown.slice(at * FIELDS_OF_BLOCK, (at + 1) * FIELDS_OF_BLOCK),
  );
  return blocks.map((of) => ({ type: "section", fields: of }));
}

/** Returns the summary, after the title if the header has no room for it. */
function headOf({ title, summary }: Preview): string {
  return title.length > MAX_HEADER ? `${title}\n${summary}` : summary;
}

function note(text: string): object {
  return { type: "context", elements: [plain(text, MAX_FIELD)] };
}

/**
 * Returns text that Slack shows as it is, without links, mentions, formatting or emoji, of at most `max` UTF-16 units.
 * Slack refuses empty text.
 */
function plain(text: string, max: number): object {
  const seen = visibleLines(text);
  const shown = seen.length > max ? `${seen.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, "")}…` : seen;
  return { type: "plain_text", text: shown === "" ? "-" : shown, emoji: false };
}

/** Names and reasons are what people wrote, so that their invisible characters are spelled out too. Line ends stay. */
function visibleLines(text: string): string {
  return text
    .split("\n")
    .map((line) => visible(line, MAX_SECTION))
    .join("\n");
}

/** Slack reads the fallback text as its markup. */
function escaped(text: string): string {
  return visible(text, 1000).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
