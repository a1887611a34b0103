import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { cachedAlone, digestOf } from "../../../../tools/cached.ts";
import { mavenJars } from "../../../../tools/maven-jars.ts";
import { must, run } from "../../../../tools/run.ts";
import { createAuthority } from "./certificates.ts";
import { freePort } from "./process.ts";
import { suspend } from "./suspend.ts";
import { KAFKA_JARS } from "./kafka-jars.ts";

/** The ports of one broker. All but `peer` are advertised by names that only the tests' name server knows. */
export interface KafkaPorts {
  /** Without TLS and sign-in, advertised as `kafka-<n>.test`. */
  readonly plain: number;
  /** The port with sign-in. */
  readonly sasl: number;
  /** The port with TLS, and a certificate for `kafka-<n>.test`. */
  readonly tls: number;
  /** Advertised as `metadata.test:80`, where it is not. */
  readonly lure: number;
  readonly peer: number;
  readonly controller: number;
}

export interface KafkaNode {
  readonly ports: KafkaPorts;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** SIGSTOP: the kernel still accepts connections for it. */
  pause(): Promise<void>;
  resume(): void;
}

/** A running Kafka of its own, in its KRaft mode, and its own Java client. */
export interface Kafka {
  /** The first is also the controller. */
  readonly nodes: readonly KafkaNode[];
  readonly ca: string;
  /** Gives the Java client an order of KafkaPeer.java, and returns its answer's lines, cut at tabs. */
  peer(...words: readonly (string | number)[]): Promise<string[][]>;
  stop(): Promise<void>;
}

/** Signs in by PLAIN. */
export const ALICE = { username: "alice", password: "of=alice,ü" } as const;
/** Signs in by SCRAM, which writes some characters of a name in another way. */
export const BOB = { username: "bob=1,2", password: "of=bob,✓" } as const;
/** Has the password, but no rights. */
export const MALLORY = { username: "mallory", password: "of-mallory" } as const;
/** The sign-in by PLAIN holds so long. */
export const SIGN_IN_HOLDS_MS = 3000;

const CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qg";
const JVM = ["-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"];

/** Returns why Kafka cannot run here, as text for a person; undefined if it can. CI must have Java. */
export async function whyNoKafka(): Promise<string | undefined> {
  if (process.env["CI"] !== undefined) return undefined;
  const { status } = await run("javac", ["-version"]);
  return status === 0 ? undefined : "javac is not on this machine";
}

/** Returns the class path of Kafka, its programs and KafkaPeer. */
export async function kafkaPrograms(): Promise<string> {
  const jars = join(await mavenJars("kafka", KAFKA_JARS), "*");
  const source = fileURLToPath(new URL("KafkaPeer.java", import.meta.url));
  const digest = digestOf(await readFile(source));
  const classes = await cachedAlone(`kafka-peer-${digest}`, async (draft) => {
    await must("javac", ["-encoding", "UTF-8", "-cp", jars, "-d", draft, source]);
  });
  return `${classes}:${jars}`;
}

export async function startKafka(nodeCount = 1): Promise<Kafka> {
  const classPath = await kafkaPrograms();
  const folder = await mkdtemp(join(tmpdir(), "junction-kafka-"));
  const authority = createAuthority();
  const ports = await Promise.all(Array.from({ length: nodeCount }, portsOfNode));
  const children: ChildProcessWithoutNullStreams[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(children.map(killed));
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const java = (...args: readonly string[]): ChildProcessWithoutNullStreams => {
    const child = spawn("java", [...JVM, "-cp", classPath, ...args]);
    children.push(child);
    return child;
  };
  try {
    const started = ports.map(async (own, index) => {
      const file = await configure({ folder, id: index + 1, own, controller: ports[0] ?? own, authority });
      const format = ["kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", file];
      await must("java", [...JVM, "-cp", classPath, ...format]);
      const child = java("kafka.Kafka", file);
      await listening(child, own.tls);
      return nodeOf(own, child);
    });
    const nodes = await Promise.all(started);
    const peer = peerOf(java("KafkaPeer", ports.map(({ peer: port }) => `127.0.0.1:${port}`).join(",")));
    await peer("user", BOB.username, Buffer.from(BOB.password).toString("base64"));
    return { nodes, ca: authority.cert, peer, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function portsOfNode(): Promise<KafkaPorts> {
  const [plain, sasl, tls, lure, peer, controller] = await Promise.all([
    freePort(),
    freePort(),
    freePort(),
    freePort(),
    freePort(),
    freePort(),
  ]);
  return { plain, sasl, tls, lure, peer, controller };
}

interface Configured {
  readonly folder: string;
  readonly id: number;
  readonly own: KafkaPorts;
  readonly controller: KafkaPorts;
  readonly authority: ReturnType<typeof createAuthority>;
}

async function configure({ folder, id, own, controller, authority }: Configured): Promise<string> {
  const name = `kafka-${id}.test`;
  const { cert, key } = authority.issue([name]);
  const store = join(folder, `${id}.pem`);
  await writeFile(store, `${key}\n${cert}`);
  const at = (listener: string, port: number): string => `${listener}://127.0.0.1:${port}`;
  const listeners = [
    at("PLAIN", own.plain),
    at("SASL", own.sasl),
    at("TLS", own.tls),
    at("LURE", own.lure),
    at("PEER", own.peer),
  ];
  const lines = [
    `node.id=${id}`,
    `process.roles=${id === 1 ? "broker,controller" : "broker"}`,
    `controller.quorum.voters=1@127.0.0.1:${controller.controller}`,
    "controller.listener.names=CONTROLLER",
    "inter.broker.listener.name=PEER",
    `listeners=${[...listeners, ...(id === 1 ? [at("CONTROLLER", own.controller)] : [])].join(",")}`,
    `advertised.listeners=PLAIN://${name}:${own.plain},SASL://${name}:${own.sasl},TLS://${name}:${own.tls},LURE://metadata.test:80,PEER://127.0.0.1:${own.peer}`,
    "listener.security.protocol.map=PLAIN:PLAINTEXT,SASL:SASL_PLAINTEXT,TLS:SSL,LURE:PLAINTEXT,PEER:PLAINTEXT,CONTROLLER:PLAINTEXT",
    "listener.name.sasl.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
    `listener.name.sasl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required ${[ALICE, MALLORY].map((one) => `user_${one.username}="${one.password}"`).join(" ")};`,
    ...["256", "512"].map(
      (bits) =>
        `listener.name.sasl.scram-sha-${bits}.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;`,
    ),
    `listener.name.sasl.plain.connections.max.reauth.ms=${SIGN_IN_HOLDS_MS}`,
    "listener.name.tls.ssl.keystore.type=PEM",
    `listener.name.tls.ssl.keystore.location=${store}`,
    "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users=User:ANONYMOUS",
    `log.dirs=${join(folder, String(id))}`,
    "offsets.topic.replication.factor=1",
    "broker.session.timeout.ms=3000",
    "broker.heartbeat.interval.ms=500",
    // A topic must not come into being by being asked for.
    "auto.create.topics.enable=true",
    "log.cleaner.enable=false",
  ];
  const file = join(folder, `${id}.properties`);
  await writeFile(file, lines.map((line) => asciiOf(line)).join("\n"));
  return file;
}

/** A properties file is Latin-1 with escapes. */
function asciiOf(line: string): string {
  return line.replaceAll(/[^\x20-\x7e]/gu, (one) => `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`);
}

async function listening(child: ChildProcessWithoutNullStreams, port: number): Promise<void> {
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  for (;;) {
    if (child.exitCode !== null) throw new Error(`Kafka ended before it listened:\n${output}`);
    const socket = connect(port, "127.0.0.1");
    const isOpen = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await sleep(200);
  }
}

function nodeOf(ports: KafkaPorts, child: ChildProcessWithoutNullStreams): KafkaNode {
  return {
    ports,
    kill: async () => await killed(child),
    pause: async () => await suspend(child),
    resume: () => void child.kill("SIGCONT"),
  };
}

async function killed(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

function peerOf(child: ChildProcessWithoutNullStreams): Kafka["peer"] {
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  let complaints = "";
  child.stderr.on("data", (chunk) => (complaints += String(chunk)));
  let last: Promise<unknown> = Promise.resolve();

  async function ask(words: readonly (string | number)[]): Promise<string[][]> {
    child.stdin.write(`${words.join("\t")}\n`);
    const answer: string[][] = [];
    for (;;) {
      const next = await lines.next();
      if (next.done === true) throw new Error(`Kafka's Java client ended:\n${complaints}`);
      if (next.value.startsWith("! ")) throw new Error(next.value);
      if (next.value === ".") return answer;
      answer.push(next.value.split("\t"));
    }
  }

  return async (...words) => {
    const answer = last.then(async () => await ask(words));
    last = answer.catch(() => undefined);
    return await answer;
  };
}
