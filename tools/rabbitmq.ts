import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cachedAlone, digestOf } from "./cached.ts";
import { unpackDebianPackages } from "./debian-packages.ts";

const ERLANG =
  "base asn1 crypto eldap ftp inets mnesia os-mon parsetools public-key runtime-tools snmp ssl syntax-tools tftp tools xmerl";
const PACKAGES = ["rabbitmq-server", "libsctp1", ...ERLANG.split(" ").map((name) => `erlang-${name}`)];

export interface RabbitmqPrograms {
  /** The folder of `rabbitmq-server` and `rabbitmqctl`. */
  readonly programs: string;
  /** The folder of Erlang, which they need as ERL_ROOTDIR, with its `bin` on the PATH. */
  readonly erlang: string;
}

/** RabbitMQ 3.10 and its Erlang, of Debian 12, unpacked into the user's cache folder on the first call. */
export async function rabbitmqPrograms(): Promise<RabbitmqPrograms> {
  const recipe = digestOf(await readFile(fileURLToPath(import.meta.url)));
  const home = await cachedAlone(`rabbitmq-${recipe}`, async (draft) => {
    const root = await unpackDebianPackages(draft, { release: 12, names: PACKAGES, dependencies: false });
    const erl = join(root, "usr/lib/erlang/bin/erl");
    const text = await readFile(erl, "utf8");
    await writeFile(erl, text.replaceAll("ROOTDIR=/usr/lib/erlang", 'ROOTDIR="$ERL_ROOTDIR"'));
  });
  return {
    programs: join(home, "root/usr/lib/rabbitmq/lib/rabbitmq_server-3.10.8/sbin"),
    erlang: join(home, "root/usr/lib/erlang"),
  };
}
