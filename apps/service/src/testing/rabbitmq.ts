import { spawn } from "node:child_process";
import type { ChildProcess, SpawnOptions } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rabbitmqPrograms } from "../../../../tools/rabbitmq.ts";
import { must } from "../../../../tools/run.ts";
import { createAuthority } from "./certificates.ts";
import { freePort } from "./process.ts";
import { connect } from "amqplib";
import type { GetMessage } from "amqplib";

/** A running RabbitMQ of its own, with what {@link DEFINITIONS} says. */
export interface Rabbitmq {
  readonly port: number;
  /** Its certificate is for `broker.test`. */
  readonly tlsPort: number;
  readonly ca: string;
  /** Runs `rabbitmqctl`. */
  ctl(...args: readonly string[]): Promise<string>;
  /** Kills it, as a power cut does. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export const SHOP = { username: "shop", password: "of-the-shop" } as const;
export const READER = { username: "reader", password: "of-the-reader" } as const;
export const MAX_MESSAGE_BYTES = 300_000;

const exchange = (name: string, type: string, alternate?: string) => ({
  name,
  vhost: "/",
  type,
  durable: true,
  auto_delete: false,
  internal: false,
  arguments: alternate === undefined ? {} : { "alternate-exchange": alternate },
});
const queue = (name: string, limits: Record<string, unknown> = {}) => ({
  name,
  vhost: "/",
  durable: true,
  auto_delete: false,
  arguments: limits,
});
const binding = (source: string, destination: string, key: string) => ({
  source,
  destination,
  vhost: "/",
  destination_type: "queue",
  routing_key: key,
  arguments: {},
});

const DEFINITIONS = {
  users: [SHOP, READER].map(({ username, password }) => ({
    name: username,
    password_hash: hashOf(password),
    hashing_algorithm: "rabbit_password_hashing_sha256",
    tags: "",
  })),
  vhosts: [{ name: "/" }, { name: "eu/1" }],
  permissions: [
    { user: SHOP.username, vhost: "/", configure: ".*", write: ".*", read: ".*" },
    { user: SHOP.username, vhost: "eu/1", configure: ".*", write: ".*", read: ".*" },
    { user: READER.username, vhost: "/", configure: "", write: "", read: ".*" },
  ],
  exchanges: [exchange("orders", "topic"), exchange("caught", "topic", "unrouted"), exchange("unrouted", "fanout")],
  queues: [queue("invoices"), queue("leftovers"), queue("full", { "x-max-length": 1, "x-overflow": "reject-publish" })],
  bindings: [binding("orders", "invoices", "invoice.#"), binding("unrouted", "leftovers", "")],
};

function hashOf(password: string): string {
  const salt = randomBytes(4);
  return Buffer.concat([salt, createHash("sha256").update(salt).update(password).digest()]).toString("base64");
}

export async function startRabbitmq(): Promise<Rabbitmq> {
  const { programs, erlang } = await rabbitmqPrograms();
  const folder = await mkdtemp(join(tmpdir(), "junction-rabbitmq-"));
  const [port, tlsPort, epmdPort, nodePort] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const ca = await writeConfiguration(folder, port, tlsPort);
  const options: SpawnOptions = {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      PATH: `${join(erlang, "bin")}:/usr/bin:/bin`,
      HOME: folder,
      LC_ALL: "C.UTF-8",
      ERL_ROOTDIR: erlang,
      ERL_EPMD_PORT: String(epmdPort),
      RABBITMQ_NODENAME: `junction-${port}@localhost`,
      RABBITMQ_DIST_PORT: String(nodePort),
      RABBITMQ_MNESIA_BASE: join(folder, "data"),
      RABBITMQ_LOG_BASE: folder,
      RABBITMQ_LOGS: "-",
      RABBITMQ_CONFIG_FILE: join(folder, "rabbitmq.conf"),
      RABBITMQ_CONF_ENV_FILE: "/dev/null",
      RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, "enabled_plugins"),
      RABBITMQ_PID_FILE: join(folder, "pid"),
    },
  };
  // Erlang would start it as a daemon that outlives the test.
  const epmd = spawn(join(erlang, "bin/epmd"), ["-port", String(epmdPort), "-address", "127.0.0.1"], options);
  const server = spawn(join(programs, "rabbitmq-server"), options);
  const stop = async (): Promise<void> => {
    await Promise.all([killed(server), killed(epmd)]);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await started(server);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    port,
    tlsPort,
    ca,
    ctl: async (...args) => {
      const { env } = options;
      return (await must(join(programs, "rabbitmqctl"), args, env === undefined ? {} : { env })).stdout;
    },
    kill: async () => await killed(server),
    stop,
  };
}

async function writeConfiguration(folder: string, port: number, tlsPort: number): Promise<string> {
  const authority = createAuthority();
  const certificate = authority.issue(["broker.test"]);
  await writeFile(join(folder, "ca.pem"), authority.cert);
  await writeFile(join(folder, "certificate.pem"), certificate.cert);
  await writeFile(join(folder, "key.pem"), certificate.key);
  await writeFile(join(folder, "definitions.json"), JSON.stringify(DEFINITIONS));
  const settings = {
    "listeners.tcp.1": `127.0.0.1:${port}`,
    "listeners.ssl.1": `127.0.0.1:${tlsPort}`,
    "ssl_options.cacertfile": join(folder, "ca.pem"),
    "ssl_options.certfile": join(folder, "certificate.pem"),
    "ssl_options.keyfile": join(folder, "key.pem"),
    max_message_size: MAX_MESSAGE_BYTES,
    "disk_free_limit.absolute": "1MB",
    load_definitions: join(folder, "definitions.json"),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  await writeFile(join(folder, "rabbitmq.conf"), lines.join(""));
  return authority.cert;
}

const START_MS = 120_000;

async function started(server: ChildProcess): Promise<void> {
  let said = "";
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.stdout?.on("data", (bytes: Buffer) => {
    said = (said + bytes.toString()).slice(-4000);
    if (said.includes("Server startup complete")) resolve();
  });
  server.once("exit", () => reject(new Error(`RabbitMQ ended: ${said}`)));
  const timer = setTimeout(() => reject(new Error(`RabbitMQ did not start: ${said}`)), START_MS);
  await promise.finally(() => clearTimeout(timer));
}

/** Kills a process with its children, and waits for its end. */
async function killed(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  process.kill(-child.pid, "SIGKILL");
  await ended;
}

/** Takes all messages of a queue with a client that did not come from us. */
export async function takenFrom({ port }: Pick<Rabbitmq, "port">, from: string): Promise<GetMessage[]> {
  const client = await connect(`amqp://${SHOP.username}:${SHOP.password}@127.0.0.1:${port}`);
  const channel = await client.createChannel();
  const messages: GetMessage[] = [];
  for (;;) {
    const message = await channel.get(from, { noAck: true });
    if (message === false) break;
    messages.push(message);
  }
  await client.close();
  return messages;
}
