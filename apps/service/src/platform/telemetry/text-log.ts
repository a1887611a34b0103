interface LogRecord {
  readonly level: number;
  readonly time: string;
  readonly msg?: string;
  readonly err?: { readonly message?: string; readonly stack?: string };
}

const WARN = 40;
const ERROR = 50;

/**
 * Returns a record of the log as text for a person: only the message, and from warnings on also the time and the
 * fields. `json` is the line that pino wrote.
 */
export function logText(json: string): string {
  const { level, time, msg = "", err, ...fields } = JSON.parse(json) as LogRecord;
  if (level < WARN) return `junction: ${msg}\n`;
  const shown = { ...(err?.message === undefined ? {} : { error: err.message }), ...fields };
  const list = Object.entries(shown).map(([name, value]) => `${name} ${valueOf(value)}`);
  const details = list.length === 0 ? "" : ` (${list.join(", ")})`;
  const stack = level < ERROR || err?.stack === undefined ? "" : `${err.stack.replaceAll(/^\s*/gm, "    ")}\n`;
  return `junction: ${time} ${level < ERROR ? "warning" : "error"}: ${msg}${details}\n${stack}`;
}

function valueOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
