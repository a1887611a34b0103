/** Builds the image of a Dockerfile as folders: each instruction is carried out as the file has it. */
import { cp, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import dockerignore from "@balena/dockerignore";
import { must } from "../../tools/run.ts";
import { filesIn, replayed, shell } from "./machine.ts";

export interface Image {
  /** Stands for `/`. */
  root: string;
  from: string;
  workdir: string;
  user: string;
  env: Record<string, string>;
  command: readonly string[];
  healthcheck: readonly string[];
  volumes: readonly string[];
  ports: readonly string[];
}

export interface Build {
  /** The folder that is sent to the builder. */
  readonly context: string;
  readonly dockerfile: string;
  /** Where the stages' folders are made. */
  readonly folder: string;
  /** The PATH of RUN. */
  readonly path: string;
}

interface Instruction {
  readonly name: string;
  readonly value: string;
}

type Carry = (image: Image, value: string) => void | Promise<void>;

/** Returns the image of the last stage. Throws where a step fails, and for an instruction that the replay does not know. */
export async function buildImage(build: Build): Promise<Image> {
  const stages = new Map<string, Image>();
  let image: Image | undefined;
  for (const { name, value } of instructionsOf(await readFile(build.dockerfile, "utf8"))) {
    if (name === "FROM") {
      image = await stage(build, value, stages.size);
      stages.set(/ AS (\w+)$/.exec(value)?.[1] ?? "", image);
    } else {
      const carry = image === undefined ? undefined : steps(build, stages)[name];
      if (image === undefined || carry === undefined) throw new Error(`the replay does not know ${name} ${value}`);
      await carry(image, value);
    }
  }
  if (image === undefined) throw new Error(`${build.dockerfile} has no FROM`);
  return image;
}

/** The instructions without comments, each on one line. */
function instructionsOf(text: string): Instruction[] {
  const lines = text.split("\n").filter((line) => !line.startsWith("#"));
  const whole = lines.join("\n").replaceAll("\\\n", " ").split("\n");
  return whole
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [name = "", ...rest] = line.trim().split(/\s+/);
      return { name, value: rest.join(" ") };
    });
}

async function stage({ folder }: Build, from: string, at: number): Promise<Image> {
  const root = join(folder, `stage-${at}`);
  await mkdir(join(root, "usr/local/bin"), { recursive: true });
  const nothing = { env: {}, command: [], healthcheck: [], volumes: [], ports: [] };
  return { root, from, workdir: "/", user: "root", ...nothing };
}

function steps(build: Build, stages: ReadonlyMap<string, Image>): Readonly<Record<string, Carry>> {
  return {
    STOPSIGNAL: (_, value) => {
      if (value !== "SIGTERM") throw new Error(`the replay stops with SIGTERM, not with ${value}`);
    },
    WORKDIR: async (image, value) => {
      image.workdir = value;
      await mkdir(image.root + value, { recursive: true });
    },
    USER: (image, value) => void (image.user = value),
    ENV: (image, value) => void Object.assign(image.env, Object.fromEntries(value.split(" ").map(pairOf))),
    VOLUME: (image, value) => void (image.volumes = value.split(" ")),
    EXPOSE: (image, value) => void (image.ports = value.split(" ")),
    CMD: (image, value) => void (image.command = JSON.parse(value) as string[]),
    HEALTHCHECK: (image, value) =>
      void (image.healthcheck = JSON.parse(value.slice(value.indexOf(" CMD ") + 5)) as string[]),
    COPY: async (image, value) => await copy(build, stages, image, value),
    RUN: async (image, value) => {
      const { status, output } = await shell(replayed(value, { root: image.root, port: 0 }), {
        cwd: image.root + image.workdir,
        env: { PATH: build.path, HOME: build.folder, ...cacheOf(), ...image.env },
      });
      if (status !== 0) throw new Error(`RUN ${value} ended with ${status}:\n${output}`);
    },
  };
}

/** Returns npm's settings for reusing earlier downloads. */
function cacheOf(): Record<string, string> {
  const cache = process.env["npm_config_cache"] ?? join(process.env["HOME"] ?? "/root", ".npm");
  return { npm_config_cache: cache, npm_config_prefer_offline: "true" };
}

function pairOf(text: string): [string, string] {
  const at = text.indexOf("=");
  return [text.slice(0, at), text.slice(at + 1)];
}

async function copy(
  { context }: Build,
  stages: ReadonlyMap<string, Image>,
  image: Image,
  value: string,
): Promise<void> {
  const from = /^--from=(\w+) (\/\S+) (\/\S+)$/.exec(value);
  if (from !== null) {
    const [, name = "", source = "", target = ""] = from;
    const other = stages.get(name);
    if (other === undefined) throw new Error(`COPY ${value}: no such stage`);
    // Hard links: an image's files are not changed.
    await must("cp", ["-alT", other.root + source, image.root + target]);
  } else if (value === ". .") {
    for (const file of await buildContext(context)) {
      const target = join(image.root, image.workdir, file);
      await mkdir(dirname(target), { recursive: true });
      await cp(join(context, file), target);
    }
  } else throw new Error(`the replay does not know COPY ${value}`);
}

/** The files of a folder that the builder gets, by the rules of its `.dockerignore`. */
export async function buildContext(folder: string): Promise<string[]> {
  const rules = await readFile(join(folder, ".dockerignore"), "utf8");
  return dockerignore.default().add(rules).filter(filesIn(folder));
}
