import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { caller, rawBackend, rawProgram, startHosts } from "./testing/programs.ts";
import { chooseWall } from "./machine.ts";
import { WALLS } from "./wall.ts";
import type { Wall } from "./wall.ts";

// The programs in this file are not connectors. They run in Node directly, so that each kind of isolation is tested
// without the others.

/** Returns the outcome of each of a program's attempts by name; `null` if it was refused. */
async function tried(attempts: string, options: { permission: boolean; walls: readonly Wall[] }): Promise<unknown> {
  const program = rawProgram(`
    process.on("uncaughtException", () => {});
    const outcomes = {};
    const attempts = { ${attempts} };
    for (const [name, attempt] of Object.entries(attempts)) {
      const late = new Promise((_, reject) => setTimeout(() => reject(new Error("late")), 2000).unref());
      try { outcomes[name] = String(await Promise.race([attempt(), late])); } catch (error) { outcomes[name] = null; }
    }
    done(call, outcomes);`);
  const hosts = startHosts({ backends: [rawBackend(options)], walls: options.walls });
  return await caller(hosts, program)("x");
}

const SETPRIV = existsSync("/usr/bin/setpriv") ? "/usr/bin/setpriv" : "/bin/setpriv";
const BUILTIN = "const use = (name) => process.getBuiltinModule(name);";

function network(port: number): string {
  return `
    connect: () => new Promise((resolve, reject) => { ${BUILTIN} use("net").connect(${port}, "127.0.0.1").on("connect", resolve).on("error", reject); }),
    listen: () => new Promise((resolve, reject) => { ${BUILTIN} const server = use("net").createServer().on("error", reject).listen(0, "127.0.0.1", () => { server.close(); resolve("listens"); }); }),
    fetch: () => fetch("http://127.0.0.1:${port}/").then(() => "answered", (error) => { if (error.cause?.code === "UND_ERR_SOCKET") return "reached"; throw error; }),
    udp: () => new Promise((resolve, reject) => { ${BUILTIN} use("dgram").createSocket("udp4").on("error", reject).send("x", ${port}, "127.0.0.1", (error) => (error ? reject(error) : resolve("sent"))); }),
    http2: () => new Promise((resolve, reject) => { ${BUILTIN} use("http2").connect("http://127.0.0.1:${port}").on("connect", resolve).on("error", reject); }),
    dns: () => { ${BUILTIN} return use("dns").promises.resolve4("localhost"); },`;
}

/** Removes the attempts to listen, which are harmless in a network without other members. */
function withoutListening(attempts: string): string {
  return attempts.replace(/listen: .*\n/, "");
}

async function listening(): Promise<number> {
  const server = createServer((socket) => socket.on("error", () => {}).end("HTTP/1.1 204 No\r\n\r\n"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test("Node's permission model alone refuses access to files, network, processes and native code", async () => {
  const outside = mkdtempSync(join(tmpdir(), "junction-outside-"));
  onTestFinished(() => rmSync(outside, { recursive: true }));
  writeFileSync(join(outside, "secret.json"), "{}");
  const outcomes = await tried(
    `${network(await listening())}
    passwd: () => fs.readFileSync("/etc/passwd"),
    environ: () => fs.readFileSync("/proc/self/environ"),
    parent: () => fs.readFileSync("/proc/" + process.ppid + "/environ"),
    outside: () => fs.readFileSync(${JSON.stringify(join(outside, "secret.json"))}),
    others: () => fs.readdirSync(import.meta.dirname + "/.."),
    up: () => fs.readFileSync(import.meta.dirname + "/../../../../etc/passwd"),
    imported: () => import("file://${outside}/secret.json", { with: { type: "json" } }),
    write: () => fs.writeFileSync(${JSON.stringify(join(outside, "new"))}, "x"),
    writeOwn: () => fs.writeFileSync(import.meta.filename, "x"),
    removeOwn: () => fs.rmSync(import.meta.filename),
    chmodOwn: () => fs.chmodSync(import.meta.filename, 0o777),
    symlink: () => { fs.symlinkSync("/etc/passwd", import.meta.dirname + "/link"); return fs.readFileSync(import.meta.dirname + "/link"); },
    stat: () => fs.statSync("/etc/passwd").size,
    exists: () => { if (fs.existsSync("/etc/passwd")) return "there"; throw 1; },
    access: () => fs.promises.access("/etc/passwd"),
    open: () => fs.promises.open("/etc/passwd"),
    list: () => fs.promises.opendir("/etc"),
    real: () => fs.realpathSync("/proc/self/cwd"),
    glob: () => fs.globSync("/etc/*")[0] ?? (() => { throw 1; })(),
    blob: async () => (await fs.openAsBlob("/etc/passwd")).text(),
    watch: () => fs.watch("/etc"),
    copy: () => fs.cpSync("/etc/passwd", import.meta.dirname + "/copy"),
    environmentFile: () => process.loadEnvFile("/etc/environment"),
    trace: () => { const tracing = process.getBuiltinModule("trace_events").createTracing({ categories: ["node"] }); tracing.enable(); return "traces"; },
    storage: () => localStorage.setItem("a", "b"),
    link: () => fs.linkSync("/etc/passwd", import.meta.dirname + "/link"),
    exec: () => { ${BUILTIN} return use("child_process").execSync("id"); },
    spawn: () => { ${BUILTIN} return use("child_process").spawnSync("/bin/true").status ?? (() => { throw 1; })(); },
    execve: () => process.execve("/bin/true", ["true"], {}),
    fork: () => { ${BUILTIN} return use("child_process").fork(import.meta.filename).pid; },
    worker: () => { ${BUILTIN} return new (use("worker_threads").Worker)("1", { eval: true }).threadId; },
    register: () => { ${BUILTIN} return use("module").register("data:text/javascript,1"); },
    inspector: () => { ${BUILTIN} return use("inspector").open(0); },
    session: () => { ${BUILTIN} new (use("inspector").Session)().connect(); return 1; },
    addon: () => process.dlopen({ exports: {} }, "/lib/x.node"),
    wasi: () => { ${BUILTIN} return new (use("wasi").WASI)({ version: "preview1" }); },
    ffi: () => { ${BUILTIN} return use("node:ffi").dlopen(null, {}); },
    sqlite: () => { ${BUILTIN} return new (use("node:sqlite").DatabaseSync)(${JSON.stringify(join(outside, "db"))}); },
    snapshot: () => { ${BUILTIN} return use("v8").writeHeapSnapshot(); },
    report: () => process.report.writeReport(),
    binding: () => process.binding("fs"),
    ownFile: () => fs.readFileSync(import.meta.filename).length > 0,`,
    { permission: true, walls: ["none"] },
  );
  const { ownFile, ...refused } = outcomes as Record<string, unknown>;
  expect(ownFile).toBe("true");
  expect(Object.entries(refused).filter(([, outcome]) => outcome !== null)).toEqual([]);
  expect(Object.keys(refused)).toHaveLength(47);
  expect(readdirSync(outside)).toEqual(["secret.json"]);
});

/** Returns the isolation levels that work here, because not every kernel allows all of them. */
async function findStanding(): Promise<ReadonlySet<Wall>> {
  const empty = mkdtempSync(join(tmpdir(), "junction-empty-"));
  const chosen = await Promise.all(WALLS.map(async (wall) => (await chooseWall([wall], empty)).wall));
  rmSync(empty, { recursive: true });
  return new Set(chosen);
}

const standing = await findStanding();

test.skipIf(!standing.has("namespaces"))(
  "namespaces alone hide the network, the machine's files, other processes and all privileges",
  async () => {
    const outside = mkdtempSync(join(tmpdir(), "junction-outside-"));
    onTestFinished(() => rmSync(outside, { recursive: true }));
    const outcomes = await tried(
      `${withoutListening(network(await listening()))}
    passwd: () => fs.readFileSync("/etc/passwd"),
    environ: () => fs.readFileSync("/proc/self/environ"),
    devices: () => fs.readdirSync("/dev"),
    outside: () => fs.readdirSync(${JSON.stringify(outside)}),
    write: () => fs.writeFileSync("/tmp/x", "x"),
    writeRoot: () => fs.writeFileSync("/x", "x"),
    writeOwn: () => fs.writeFileSync(import.meta.filename, "x"),
    chmodOwn: () => fs.chmodSync(import.meta.filename, 0o777),
    writeLibrary: () => fs.writeFileSync("/usr/lib/x", "x"),
    shell: () => { ${BUILTIN} return use("child_process").spawnSync("/bin/sh", ["-c", "id"]).status ?? (() => { throw 1; })(); },
    parent: () => { if (process.ppid === 0) throw 1; process.kill(process.ppid, 0); return "signalled"; },
    others: () => { for (let pid = 200; pid < 70_000; pid += 1) { try { process.kill(pid, 0); return pid; } catch {} } throw 1; },
    powers: () => { ${BUILTIN} const found = use("child_process").spawnSync(${JSON.stringify(SETPRIV)}, ["--dump"]).stdout.toString(); if (/no_new_privs: 1/.test(found) && /^Capability bounding set: \\[none\\]/m.test(found)) throw 1; return found; },
    priority: () => { ${BUILTIN} use("os").setPriority(0, -5); return "raised"; },`,
      { permission: false, walls: ["namespaces"] },
    );
    expect(Object.entries(outcomes as object).filter(([, outcome]) => outcome !== null)).toEqual([]);
  },
);

interface Look {
  readonly files: readonly string[];
  readonly own: string;
  readonly environment: unknown;
  readonly theirs: boolean;
}

test.skipIf(!standing.has("namespaces"))("a child sees only its own folder, its runtime and libraries", async () => {
  const hosts = startHosts({ backends: [rawBackend({ permission: false })], walls: ["namespaces"] });
  const other = rawProgram("done(call, import.meta.dirname)");
  const theirs = await caller(hosts, other)("x");
  const program = rawProgram(`
    const files = [];
    const walk = (folder) => {
      if (folder === "/usr/lib" || folder === "/lib" || folder === "/lib64" || folder === "/usr/lib64") return;
      for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
        const path = (folder + "/" + entry.name).replace("//", "/");
        if (entry.isDirectory()) walk(path); else files.push(path);
      }
    };
    walk("/");
    done(call, { files, own: import.meta.filename, environment: process.env, theirs: fs.existsSync(${JSON.stringify(theirs)}) });`);
  const { files, own, environment, theirs: seen } = (await caller(hosts, program)("x")) as unknown as Look;
  expect([...files].toSorted()).toEqual([own, process.execPath, SETPRIV].toSorted());
  expect([environment, seen]).toEqual([{}, false]);
});

test.skipIf(!standing.has("network"))("network isolation alone leaves no network", async () => {
  const outcomes = await tried(withoutListening(network(await listening())), {
    permission: false,
    walls: ["network"],
  });
  expect(Object.entries(outcomes as object).filter(([, outcome]) => outcome !== null)).toEqual([]);
});

test("the attempts succeed in a program without isolation", async () => {
  const port = await listening();
  const outcomes = await tried(
    `${network(port)
      .replace(/dns: .*,/, "")
      .replace(/http2: .*\n/, "")}
    passwd: () => fs.readFileSync("/etc/passwd").length > 0,
    shell: () => { ${BUILTIN} return use("child_process").spawnSync("/bin/sh", ["-c", "exit 0"]).status; },`,
    {
      permission: false,
      walls: ["none"],
    },
  );
  expect(outcomes).toEqual({
    connect: "undefined",
    listen: "listens",
    fetch: "answered",
    udp: "sent",
    passwd: "true",
    shell: "0",
  });
});

test.each([...standing])("a child cannot write files at any isolation level: %s", async (wall) => {
  const outside = mkdtempSync(join(tmpdir(), "junction-outside-"));
  onTestFinished(() => rmSync(outside, { recursive: true }));
  const path = join(outside, "file");
  const hosts = startHosts({ backends: [rawBackend({ permission: false })], walls: [wall] });
  const program = rawProgram(
    `try { fs.writeFileSync(${JSON.stringify(path)}, "x".repeat(10_000)); } catch {} done(call);`,
  );
  await caller(hosts, program)("x").catch(() => {});
  expect(existsSync(path) ? readFileSync(path, "utf8") : "").toBe("");
});

test("the report names the isolation level, and why no stronger one is available", async () => {
  expect(await startHosts({ walls: ["none"] }).report()).toMatchObject({ wall: "none", wallReason: "" });
  const strongest = await startHosts().report();
  expect(WALLS).toContain(strongest.wall);
  expect(strongest.wallReason === "").toBe(strongest.wall === "namespaces");
});
