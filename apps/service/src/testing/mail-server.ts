import { once } from "node:events";
import { createServer } from "node:net";
import type { Socket } from "node:net";

export interface MailServer {
  readonly url: string;
  /** Each mail as it came: who it was for, and its text with its headers. */
  readonly mails: readonly { readonly to: readonly string[]; readonly data: string }[];
  /** Refuses whatever comes from now on, or takes it again. */
  refuse(refuses: boolean): void;
  close(): Promise<void>;
}

/** A real SMTP server on loopback that keeps what it gets, and asks for a password. */
export async function startMailServer(user: string, password: string): Promise<MailServer> {
  const mails: { to: string[]; data: string }[] = [];
  const login = Buffer.from(`\0${user}\0${password}`).toString("base64");
  let refuses = false;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const say = (line: string): unknown => socket.write(`${line}\r\n`);
    let [text, to, inData] = ["", [] as string[], false];
    say("220 test ESMTP");
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      for (;;) {
        const end = inData ? text.indexOf("\r\n.\r\n") : text.indexOf("\r\n");
        if (end < 0) return;
        const line = text.slice(0, end);
        text = text.slice(end + (inData ? 5 : 2));
        if (inData) {
          mails.push({ to, data: line });
          [to, inData] = [[], false];
          say("250 kept");
        } else if (/^EHLO/i.test(line)) {
          say("250-test");
          say("250 AUTH PLAIN");
        } else if (/^AUTH PLAIN/i.test(line)) say(line.endsWith(login) ? "235 ok" : "535 no");
        else if (/^RCPT TO/i.test(line)) {
          to.push(/<(.*)>/.exec(line)?.[1] ?? "");
          say(refuses ? "550 not here" : "250 ok");
        } else if (/^DATA/i.test(line)) {
          inData = true;
          say("354 go on");
        } else say(/^QUIT/i.test(line) ? "221 bye" : "250 ok");
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `smtp://${encodeURIComponent(user)}:${encodeURIComponent(password)}@127.0.0.1:${port}`,
    mails,
    refuse: (next) => {
      refuses = next;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
