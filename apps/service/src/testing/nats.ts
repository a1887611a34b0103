import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { natsServer } from "../../../../tools/nats-server.ts";
import { createAuthority } from "./certificates.ts";
import { freePort } from "./process.ts";
import { suspend } from "./suspend.ts";

/** A running server of NATS. */
export interface NatsServer {
  readonly port: number;
  /** The authority of its certificate, which is for `broker.test`. */
  readonly ca: string;
  /** Suspends it: it accepts connections and says nothing. */
  suspend(): Promise<void>;
  kill(): void;
  stop(): Promise<void>;
}

/** The text of the setting `tls` of a server's configuration, with its certificate. */
export const TLS = "{ cert_file: certificate.pem, key_file: key.pem }";

/** The text of the settings of JetStream. */
export const JETSTREAM = "jetstream { store_dir: data, max_memory_store: 64MB, max_file_store: 256MB }";

/** Starts a server. `settings` is the text of its configuration, whose files are those of its folder. */
export async function startNats(settings: string): Promise<NatsServer> {
  const program = await natsServer();
  const folder = await mkdtemp(join(tmpdir(), "junction-nats-"));
  const port = await freePort();
  const authority = createAuthority();
  const { cert, key } = authority.issue(["broker.test"]);
  await writeFile(join(folder, "certificate.pem"), cert);
  await writeFile(join(folder, "key.pem"), key);
  await writeFile(join(folder, "server.conf"), `listen: "127.0.0.1:${port}"\n${settings}`);
  const server = spawn(program, ["-c", "server.conf"], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(server, "exit");
  let said = "";
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  server.stderr.on("data", (bytes: Buffer) => {
    said = (said + bytes.toString()).slice(-4000);
    if (said.includes("Server is ready")) resolve();
  });
  void ended.then(() => reject(new Error(`nats-server ended: ${said}`)));
  await ready;
  return {
    port,
    ca: authority.cert,
    suspend: async () => await suspend(server),
    kill: () => void server.kill("SIGKILL"),
    async stop() {
      server.kill("SIGKILL");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
