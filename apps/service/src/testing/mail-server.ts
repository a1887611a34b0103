import { once } from "node:events";
import { createServer } from "node:net";
import type { Socket } from "node:net";

export interface MailServer {
  readonly url: string;
  /** The received mails: their time in milliseconds since 1970, their recipients, and their text with its headers. */
  readonly mails: readonly { readonly at: number; readonly to: readonly string[]; readonly data: string }[];
  /** Starts or stops refusing new mails. */
  refuse(refuses: boolean): void;
  /** Forgets the received mails. */
  forget(): void;
  close(): Promise<void>;
}

/** Starts a real SMTP server that keeps the mails it receives and requires a password. Default: a free port of 127.0.0.1. */
export async function startMailServer(
  user: string,
  password: string,
  at: { readonly address: string; readonly port: number } = { address: "127.0.0.1", port: 0 },
): Promise<MailServer> {
  const mails: { at: number; to: string[]; data: string }[] = [];
  const login = Buffer.from(`\0${user}\0${password}`).toString("base64");
  let refuses = false;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    const state = { text: "", to: [] as string[], inData: false };
    socket.write("220 test ESMTP\r\n");
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      state.text += chunk;
      for (let line = lineOf(state); line !== undefined; line = lineOf(state))
        socket.write(`${answerTo(state, line)}\r\n`);
    });
  });
  const answerTo = (state: Talk, line: string): string => {
    if (state.inData) {
      mails.push({ at: Date.now(), to: state.to, data: line });
      Object.assign(state, { to: [], inData: false });
      return "250 kept";
    }
    const [command = ""] = line.toUpperCase().split(/[ :]/);
    if (command === "RCPT") state.to.push(/<(.*)>/.exec(line)?.[1] ?? "");
    if (command === "DATA") state.inData = true;
    const answers: Readonly<Record<string, string>> = {
      EHLO: "250-test\r\n250 AUTH PLAIN",
      AUTH: line.endsWith(login) ? "235 ok" : "535 no",
      RCPT: refuses ? "550 not here" : "250 ok",
      DATA: "354 go on",
      QUIT: "221 bye",
      STARTTLS: "502 no TLS",
    };
    return answers[command] ?? "250 ok";
  };
  server.listen(at.port, at.address);
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `smtp://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${at.address}:${port}`,
    mails,
    refuse: (next) => {
      refuses = next;
    },
    forget: () => void mails.splice(0),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Talk {
  text: string;
  to: string[];
  inData: boolean;
}

/** Returns the next line, or the whole text of a mail. Undefined if it is not complete yet. */
function lineOf(state: Talk): string | undefined {
  const ending = state.inData ? "\r\n.\r\n" : "\r\n";
  const end = state.text.indexOf(ending);
  if (end < 0) return undefined;
  const line = state.text.slice(0, end);
  state.text = state.text.slice(end + ending.length);
  return line;
}
