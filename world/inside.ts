/**
 * The process that world.ts starts in namespaces of its own. It has a name server on 127.0.0.1:53 that `/etc/resolv.conf` names, public
 * addresses of both families on the loopback interface, HTTPS receivers on them, and the repository as an overlay: what the service
 * writes, its data folder included, is gone at the end.
 */
import { execFile, execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, createConnection } from "node:net";
import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { createAuthority } from "../apps/service/src/testing/certificates.ts";
import type { Certificate } from "../apps/service/src/testing/certificates.ts";
import { startNameServer } from "../apps/service/src/testing/name-server.ts";
import { startReceiver } from "../apps/service/src/platform/outbound-http/testing/receivers.ts";
import type { HttpReceiver, Received } from "../apps/service/src/platform/outbound-http/testing/receivers.ts";
import { startMailServer } from "../apps/service/src/testing/mail-server.ts";
import type { MailServer } from "../apps/service/src/testing/mail-server.ts";
import type { Call, CertificatePlan, ReceiverPlan, Reply, StartPlan } from "./messages.ts";

const [root = "", scratch = "", socketPath = ""] = process.argv.slice(2);
const PORT = 4000;
const LOCALHOST = "127.0.0.1 localhost\n::1 localhost\n";
/** World.ts maps another user to itself, so this is the user that runs the tests. */
const isRoot = process.getuid?.() === 0;
/** Writable folders. PostgreSQL's files can be below /var/lib if the user is root. */
const WRITABLE = [root, ...(isRoot ? ["/var/lib"] : [])];

const authority = createAuthority();
const strangers = createAuthority();
const receivers: HttpReceiver[] = [];
let hasVoid = false;
let mail: MailServer | undefined;
let service: { readonly child: ChildProcess; output: string } | undefined;

run("mount", ["-t", "tmpfs", "world", scratch]);
for (const [at, folder] of WRITABLE.entries()) layOver(folder, `${scratch}/${at}`);
// This deletes only in the overlay. The data of a service that was started in the repository must not be part of the world.
rmSync(`${root}/data`, { recursive: true, force: true });
place("/etc/resolv.conf", "nameserver 127.0.0.1\nsearch corp.example\noptions timeout:1 attempts:1\n");
place("/etc/hosts", LOCALHOST);
const trusted = `${scratch}/authority.pem`;
writeFileSync(trusted, authority.cert);
run("ip", ["link", "set", "lo", "up"]);
const names = await startNameServer(53);
await relay();

const methods = {
  /** Gives the machine public addresses. */
  addresses(list: readonly string[]) {
    for (const address of list)
      run("ip", ["address", "add", address, "dev", "lo", ...(address.includes(":") ? ["nodad"] : [])]);
  },
  /** Drops everything that is sent to an address, without an answer or a refusal. */
  silent(address: string) {
    if (!hasVoid) {
      run("ip", ["link", "add", "void0", "type", "veth", "peer", "name", "void1"]);
      for (const device of ["void0", "void1"]) run("ip", ["link", "set", device, "up"]);
      hasVoid = true;
    }
    run("ip", ["route", "add", address, "dev", "void0"]);
    run("ip", ["neighbour", "add", address, "lladdr", "02:00:00:00:00:01", "dev", "void0", "nud", "permanent"]);
  },
  /** Counts every packet that leaves the machine from now on. It has a route to everywhere, and nothing answers. */
  watchDepartures() {
    run("ip", ["link", "add", "out0", "type", "veth", "peer", "name", "out1"]);
    for (const device of ["out0", "out1"]) {
      // The kernel sends no neighbor discovery from a device without an address of its own.
      run("ip", ["link", "set", device, "addrgenmode", "none"]);
      run("ip", ["link", "set", device, "up"]);
    }
    run("ip", ["route", "add", "default", "dev", "out0"]);
    run("ip", ["-6", "route", "add", "default", "dev", "out0"]);
  },
  /** Returns the packets received by out1, the second number of its line. */
  departures: () => Number(/out1:\s*\d+\s+(\d+)/.exec(readFileSync("/proc/self/net/dev", "utf8"))?.[1]),
  name: (name: string, addresses: readonly string[]) => names.set(name, addresses),
  alias: (name: string, target: string) => names.alias(name, target),
  hosts: (text: string) => writeFileSync("/etc/hosts", LOCALHOST + text),
  questions: () => names.questions,
  silence: (isSilent: boolean) => (isSilent ? names.fallSilent() : names.speak()),
  async receiver({ address, port = 443, certificate, answer }: ReceiverPlan) {
    const receiver = await startReceiver({
      listen: { address, port },
      ...(certificate === null ? {} : { certificate: issue(certificate) }),
      ...(answer === undefined
        ? {}
        : {
            answer: (_request: IncomingMessage, response: ServerResponse) =>
              void response.writeHead(answer.status, answer.headers).end(answer.body ?? ""),
          }),
    });
    return receivers.push(receiver) - 1;
  },
  async mailServer(address: string, user = "junction") {
    mail = await startMailServer(user, "secret", { address, port: 25 });
  },
  mails: () => mail?.mails ?? [],
  received: (receiver: number): readonly Received[] => receivers[receiver]?.received ?? [],
  connections: (receiver: number) => receivers[receiver]?.connections() ?? 0,
  start({ command, env = {}, cwd = root }: StartPlan) {
    const [program = "", ...args] = command;
    const child = spawn(program, args, {
      cwd,
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"], NODE_EXTRA_CA_CERTS: trusted, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const started = { child, output: "" };
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (chunk: string) => void (started.output += chunk));
    service = started;
  },
  output: () => service?.output ?? "",
  exitCode: () => service?.child.exitCode ?? null,
  async stop() {
    if (service === undefined) throw new Error("nothing was started");
    if (service.child.exitCode !== null) return service.child.exitCode;
    const ended = once(service.child, "exit");
    service.child.kill("SIGTERM");
    const [code] = await ended;
    return code as number | null;
  },
  /** Runs a program in the world and returns its output. The name server and the receivers continue to work while it runs. */
  async command(program: string, args: readonly string[], cwd = root) {
    return (await promisify(execFile)(program, args, { cwd })).stdout;
  },
};

export type Methods = typeof methods;

process.on("message", (call: Call) => void reply(call));
process.on("disconnect", () => process.exit());
process.send?.({ id: 0, value: Object.keys(methods) } satisfies Reply);

async function reply({ id, method, args }: Call): Promise<void> {
  try {
    const act = methods[method as keyof Methods] as (...values: unknown[]) => unknown;
    process.send?.({ id, value: await act(...args) } satisfies Reply);
  } catch (error) {
    process.send?.({ id, error: error instanceof Error ? error.message : String(error) } satisfies Reply);
  }
}

function issue({ names: named, signedBy = "authority", validDays }: CertificatePlan): Certificate {
  return (signedBy === "authority" ? authority : strangers).issue(named, validDays);
}

function run(program: string, args: readonly string[]): string {
  return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

function layOver(folder: string, layer: string): void {
  for (const part of ["upper", "work"]) mkdirSync(`${layer}/${part}`, { recursive: true });
  run("mount", [
    "-t",
    "overlay",
    "world",
    "-o",
    `lowerdir=${folder},upperdir=${layer}/upper,workdir=${layer}/work${isRoot ? "" : ",userxattr"}`,
    folder,
  ]);
}

/** Replaces a file of the machine, which has to exist. */
function place(path: string, text: string): void {
  const own = `${scratch}/${path.replaceAll("/", "_")}`;
  writeFileSync(own, text, { mode: 0o644 });
  run("mount", ["--bind", own, path]);
}

/** Listens on a socket file, which reaches across network namespaces. The test calls the service through it. */
async function relay(): Promise<void> {
  const server = createServer((outer) => {
    const inner = createConnection({ host: "127.0.0.1", port: PORT });
    outer.pipe(inner).pipe(outer);
    outer.on("error", () => inner.destroy());
    inner.on("error", () => outer.destroy());
  });
  server.listen(socketPath);
  await once(server, "listening");
}
