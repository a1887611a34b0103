import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { elasticmqJars } from "../../../../tools/aws/elasticmq.ts";
import { awsPrograms, versityGateway } from "../../../../tools/aws/programs.ts";
import { answers, startProgram } from "../../../../tools/program.ts";
import type { Program } from "../../../../tools/program.ts";
import { freePort } from "./process.ts";

/** A server of AWS protocols, and the key of a user who may do everything. */
export interface AwsServer {
  /** Base URL without a slash at the end. */
  readonly url: string;
  readonly accessKeyId: string;
  readonly secret: string;
  readonly program: Program;
  stop(): Promise<void>;
}

export interface Moto extends AwsServer {
  /** The key of a user who has no rights. */
  readonly powerless: { readonly accessKeyId: string; readonly secret: string };
}

type Answer = Readonly<Record<string, unknown>>;

/** boto3 and botocore, in a process of their own. Bytes in answers are in base64. */
export interface AwsPeer {
  /** Calls an operation of boto3, such as `receive_message` of `sqs`. */
  call(server: AwsServer, service: string, operation: string, parameters: object): Promise<Answer>;
  /** Returns the headers with which botocore signs a request now, in the region eu-west-1. */
  sign(
    key: Pick<AwsServer, "accessKeyId" | "secret">,
    service: string,
    request: { readonly method: string; readonly url: string; readonly headers: object; readonly body: string },
  ): Promise<Readonly<Record<string, string>>>;
  stop(): Promise<void>;
}

const PEER = fileURLToPath(new URL("../../../../tools/aws/aws_peer.py", import.meta.url));
const READY_MS = 120_000;
const KEY = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" } as const;

export async function startAwsPeer(): Promise<AwsPeer> {
  const python = (await awsPrograms()).program("python");
  // Keys of the environment would be used by boto3 too.
  const child = spawn(python, [PEER], { stdio: ["pipe", "pipe", "inherit"], env: { PATH: process.env["PATH"] ?? "" } });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  let last: Promise<unknown> = Promise.resolve();

  async function ask(order: object): Promise<Answer> {
    const answer = last.then(async () => {
      child.stdin.write(`${JSON.stringify(order)}\n`);
      const line = await lines.next();
      return JSON.parse(line.done === true ? "{}" : line.value) as { result?: Answer; error?: string };
    });
    last = answer;
    const { result, error } = await answer;
    if (result === undefined) throw new Error(error ?? "boto3 has ended");
    return result;
  }

  return {
    call: async ({ url, accessKeyId, secret }, service, operation, parameters) => {
      const server = { endpoint_url: url, aws_access_key_id: accessKeyId, aws_secret_access_key: secret };
      return await ask({ call: [server, service, operation, parameters] });
    },
    sign: async ({ accessKeyId, secret }, service, { method, url, headers, body }) =>
      (await ask({ sign: [accessKeyId, secret, service, method, url, headers, body] })) as Record<string, string>,
    async stop() {
      child.stdin.end();
      await once(child, "exit");
    },
  };
}

/** Starts moto, which then checks every signature and every right. */
export async function startMoto(peer: AwsPeer): Promise<Moto> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const python = await awsPrograms();
  const program = startProgram(python.program("moto_server"), ["-H", "127.0.0.1", "-p", String(port)], {
    // The users are made without a signature.
    env: { PATH: process.env["PATH"] ?? "", INITIAL_NO_AUTH_ACTION_COUNT: "5" },
  });
  // Any other path is an action.
  await program.until(async () => await answers(`${url}/moto-api/data.json`), READY_MS);
  const stop = async (): Promise<void> => void (await program.end("SIGKILL"));
  const open = { url, ...KEY, program, stop };
  const keyOf = async (UserName: string) => {
    await peer.call(open, "iam", "create_user", { UserName });
    const { AccessKey } = (await peer.call(open, "iam", "create_access_key", { UserName })) as {
      AccessKey: { AccessKeyId: string; SecretAccessKey: string };
    };
    return { accessKeyId: AccessKey.AccessKeyId, secret: AccessKey.SecretAccessKey };
  };
  const powerless = await keyOf("powerless");
  const almighty = await keyOf("almighty");
  await peer.call(open, "iam", "put_user_policy", {
    UserName: "almighty",
    PolicyName: "all",
    PolicyDocument: JSON.stringify({
      Version: "2012-10-17",
      Statement: [{ Effect: "Allow", Action: "*", Resource: "*" }],
    }),
  });
  return { url, ...almighty, powerless, program, stop };
}

/** Starts ElasticMQ. It takes any key. */
export async function startElasticmq(): Promise<AwsServer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const folder = await mkdtemp(join(tmpdir(), "junction-elasticmq-"));
  const config = join(folder, "elasticmq.conf");
  await writeFile(
    config,
    `include classpath("application.conf")
node-address { protocol = http, host = "127.0.0.1", port = ${port}, context-path = "" }
rest-sqs { enabled = true, bind-port = ${port}, bind-hostname = "127.0.0.1", sqs-limits = strict }
rest-stats { enabled = false }
`,
  );
  const classes = join(await elasticmqJars(), "*");
  const args = ["-Xmx256m", `-Dconfig.file=${config}`, "-cp", classes, "org.elasticmq.server.Main"];
  const program = startProgram("java", args, { cwd: folder, env: { PATH: process.env["PATH"] ?? "" } });
  const stop = async (): Promise<void> => {
    await program.end("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  };
  await program.until(async () => await answers(url), READY_MS);
  return { url, ...KEY, program, stop };
}

/** Starts the S3 gateway of Versity on a folder. It checks every signature. */
export async function startVersityGateway(): Promise<AwsServer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const folder = await mkdtemp(join(tmpdir(), "junction-versity-"));
  const args = ["--access", KEY.accessKeyId, "--secret", KEY.secret, "--region", "eu-west-1"];
  const place = ["--port", `127.0.0.1:${port}`, "posix", "--sidecar", join(folder, "sidecar"), join(folder, "data")];
  await Promise.all(["data", "sidecar"].map(async (name) => await mkdir(join(folder, name))));
  const program = startProgram(await versityGateway(), [...args, ...place], { cwd: folder, env: {} });
  const stop = async (): Promise<void> => {
    await program.end("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  };
  await program.until(async () => await answers(url), READY_MS);
  return { url, ...KEY, program, stop };
}
