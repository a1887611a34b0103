import type { Parsed } from "./test-service.ts";

/** The limits of Slack's blocks, from its documents. The texts of messages are plain, so that other kinds are refused. */

const MAX_BLOCKS = 50;
const isText = (text: Parsed, most: number): boolean =>
  text?.type === "plain_text" && typeof text.text === "string" && text.text.length >= 1 && text.text.length <= most;
const areTexts = (texts: Parsed[], most: number): boolean =>
  texts.length <= most && texts.every((one) => isText(one, 2000));

const BLOCKS: Readonly<Record<string, (block: Parsed) => boolean>> = {
  header: ({ text }) => isText(text, 150),
  context: ({ elements }) => areTexts(elements, 10),
  actions: ({ elements }) => elements.length <= 25 && elements.every(isButton),
  section: ({ text, fields }) => (text === undefined ? areTexts(fields, 10) : isText(text, 3000)),
};

/** Returns Slack's word for the first thing in a message that it does not accept. */
export function faultOf({ text, blocks }: Parsed): string | undefined {
  if (typeof text !== "string" || text === "") return "no_text";
  if (!Array.isArray(blocks) || blocks.length > MAX_BLOCKS) return "invalid_blocks";
  return blocks.every((block) => BLOCKS[block.type]?.(block) === true) ? undefined : "invalid_blocks";
}

function isButton({ type, text, action_id: action, value = "", url = "", confirm }: Parsed): boolean {
  const isShort = action.length <= 255 && value.length <= 2000 && url.length <= 3000;
  return type === "button" && isText(text, 75) && isShort && (confirm === undefined || isConfirm(confirm));
}

function isConfirm({ title, text, confirm, deny }: Parsed): boolean {
  return isText(title, 100) && isText(text, 300) && isText(confirm, 30) && isText(deny, 30);
}
