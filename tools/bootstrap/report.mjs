// The bootstrap prints a line for each step on standard error.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Exit codes as in sysexits.h, and the same as the service's; docs/guide/self-hosting.md lists them. */
export const EXIT = { failure: 1, unavailable: 69, diskFull: 74, noPermission: 77, config: 78, interrupted: 130 };

const isTerminal = process.stderr.isTTY;
const everyMs = isTerminal ? 1000 : 10_000;

/** The reason why the bootstrap cannot continue, as one line. */
export class Refusal extends Error {
  constructor(message, exit) {
    super(message);
    this.exit = exit;
  }
}

function notWritable(reason) {
  const message = `this user may not write to ${root} (${reason}). Give the folder to this user, or run the command as its owner.`;
  return new Refusal(message, EXIT.noPermission);
}

function diskFull() {
  const message = `no space is left on the disk of ${root}, or of npm's cache. Free some, then run the command again.`;
  return new Refusal(message, EXIT.diskFull);
}

/** Returns the refusal for an error code of the system or of npm; undefined for any other code. */
export function systemRefusal(code, reason) {
  if (code === "ENOSPC" || code === "EDQUOT") return diskFull();
  return ["EACCES", "EPERM", "EROFS"].includes(code) ? notWritable(reason) : undefined;
}

export function say(message) {
  process.stderr.write(`junction: ${message}\n`);
}

/** Shows that a step runs, and for how long: in a terminal on one line that changes. Returns a function that ends it with its last line. */
export function begin(message) {
  const begun = Date.now();
  const seconds = () => Math.round((Date.now() - begun) / 1000);
  const draw = (text) => process.stderr.write(isTerminal ? `\r\x1b[Kjunction: ${text}` : `junction: ${text}\n`);
  draw(message);
  const timer = setInterval(() => draw(`${message} (${seconds()} s)`), everyMs);
  return (last) => {
    clearInterval(timer);
    if (isTerminal) process.stderr.write("\r\x1b[K");
    if (last !== undefined) say(`${last} in ${seconds()} s`);
  };
}
