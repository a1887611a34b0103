import { fileURLToPath } from "node:url";
import { newFolder, startCounterpart } from "./counterpart.ts";
import type { Counterpart } from "./counterpart.ts";
import { pythonPrograms } from "./python-programs.ts";

export interface TakenMail {
  /** Time of arrival in milliseconds since 1970, by this machine's clock. */
  readonly at: number;
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
}

/** A running mail server. The `url` is its SMTP address. */
export interface Mailbox extends Counterpart {
  mails(): TakenMail[];
}

const SERVER = fileURLToPath(new URL("mail_server.py", import.meta.url));

/** Starts aiosmtpd, a mail server that accepts every mail. */
export async function startMailbox(): Promise<Mailbox> {
  const programs = await pythonPrograms();
  const started = await startCounterpart({
    name: "aiosmtpd",
    program: programs.program("python"),
    args: [SERVER],
    folder: await newFolder("mailbox"),
    ready: async (printed) => {
      const port = /^\{"port": (\d+)\}$/m.exec(printed)?.[1];
      return await Promise.resolve(port === undefined ? undefined : `smtp://127.0.0.1:${port}`);
    },
  });
  return { ...started, mails: () => mailsIn(started.printed()) };
}

/** Returns the mails of the complete lines. */
function mailsIn(printed: string): TakenMail[] {
  return printed
    .split("\n")
    .slice(0, -1)
    .filter((line) => line.startsWith('{"at"'))
    .map((line) => JSON.parse(line) as TakenMail);
}
