import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { hide, instant, readPath } from "../../lib/lib.ts";
import type { Exchange, OutboundRequest } from "../../platform/outbound-http/outbound-http.ts";
import { isRead, readBody } from "./body.ts";
import { areElementsProven } from "./element-proofs.ts";
import { answerTo, handshakeOf, visit } from "./handshake.ts";
import type { SentRequest } from "./placeholders.ts";
import { headerFrom, readPlaceholders } from "./placeholders.ts";
import { handshakeFaults } from "./handshake-faults.ts";
import { headOf, smallForm } from "./unproven.ts";
import { schemeFaults } from "./scheme-faults.ts";
import { mappingFaults } from "./source-input.ts";
import { SENDER_CATEGORIES, senders } from "./senders.ts";
import type { Sender } from "./senders.ts";
import { createVerifier, secretFault } from "./verifier.ts";
import type { Verdict } from "./verifier.ts";

/** A request of a sender, computed by an independent tool (`made_by`). */
interface Vector {
  readonly name: string;
  readonly valid?: boolean;
  readonly handshake?: boolean;
  /** The receiver's clock. */
  readonly at: string;
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly secret: string;
  /** Certificates by address, which the sender publishes. */
  readonly certificates?: Readonly<Record<string, string>>;
  readonly expect?: {
    readonly status: number;
    readonly content_type?: string;
    readonly body?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly visit?: string;
  };
}

function vectorsOf({ key }: Sender): readonly Vector[] {
  return JSON.parse(readFileSync(new URL(`senders/${key}.vectors.json`, import.meta.url), "utf8")) as Vector[];
}

function requestOf({ method, url, headers, body }: Vector): SentRequest {
  const bytes = Buffer.from(body);
  return {
    method,
    url,
    header: headerFrom(headers),
    body: bytes,
    head: () => headOf(bytes) ?? smallForm({ header: headerFrom(headers), body: bytes }),
    async json() {
      const read = await readBody({ body: bytes, header: headerFrom(headers), charset: null });
      return isRead(read) ? read : undefined;
    },
  };
}

/** Answers with the published certificates, and records the visited addresses. */
function netOf(vector: Vector, visited: string[]): { send(request: OutboundRequest): Promise<Exchange> } {
  return {
    async send({ url }) {
      visited.push(url);
      const found = vector.certificates?.[url];
      const status = found === undefined && vector.certificates !== undefined && url.endsWith(".pem") ? 404 : 200;
      const answer = { status, truncated: false, headers: {}, body: Buffer.from(found ?? "") };
      return await Promise.resolve(answer as unknown as Exchange);
    },
  };
}

async function verdictOf({ scheme, mapping }: Sender, vector: Vector): Promise<Verdict> {
  const verifier = createVerifier({
    net: netOf(vector, []),
    clock: { now: () => instant(Date.parse(vector.at)) } as never,
  });
  const proof = { scheme, mapping, secrets: [hide(vector.secret)] };
  const verdict = await verifier.verify(scheme, proof.secrets, requestOf(vector));
  if (verdict !== "valid") return verdict;
  return (await areElementsProven(verifier, proof, requestOf(vector))) ? "valid" : "invalid";
}

test("at least forty senders are shipped, of every category", () => {
  expect(senders.length).toBeGreaterThanOrEqual(40);
  expect(new Set(senders.map(({ category }) => category))).toEqual(new Set(SENDER_CATEGORIES));
});

test("the guide lists each sender under its category", () => {
  const guide = readFileSync(new URL("../../../../../docs/guide/inbound.md", import.meta.url), "utf8");
  const rows = [...guide.matchAll(/^\| (\w+) +\| ([^|]+?) *\|$/gm)].map(([, category, titles]) => [category, titles]);
  const listed = new Map(rows.map(([category, titles]) => [category, titles?.replaceAll("`", "")]));
  for (const category of SENDER_CATEGORIES) {
    const titles = senders.filter((sender) => sender.category === category).map(({ title }) => title);
    expect(listed.get(category)).toBe(titles.toSorted((a, b) => a.localeCompare(b, "en")).join(", "));
  }
});

describe.each(senders.map((sender) => [sender.key, sender] as const))("%s", (key, sender) => {
  test("its file is complete and does not contradict itself", () => {
    expect(sender.key).toMatch(/^[a-z0-9_]+$/);
    expect(schemeFaults(sender.scheme, "/scheme")).toEqual([]);
    expect(mappingFaults(sender.mapping)).toEqual([]);
    for (const { when, answer } of sender.handshakes) {
      for (const path of Object.keys(when.body ?? {})) expect(readPath(path)).toBeDefined();
      expect(readPlaceholders(answer.body)).toBeDefined();
    }
    expect(new URL(sender.documentation).protocol).toBe("https:");
    expect(sender.setup.length).toBeGreaterThan(1);
    expect(sender.description.length).toBeLessThanOrEqual(120);
  });

  test("it names the type of its events that name none", () => {
    expect(sender.mapping.event_type_default).toMatch(/^\S.*$/);
  });

  test("the paths of its mapping lead somewhere in its sample", async () => {
    const { headers, body } = sender.sample;
    const type = Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type")?.[1];
    const read = await readBody({
      body: Buffer.from(body),
      header: (name) => (name === "content-type" ? type : undefined),
      charset: null,
    });
    expect(isRead(read)).toBe(true);
    const lower = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
    if (sender.event_type_header !== null) expect(lower).toContain(sender.event_type_header.toLowerCase());
  });

  const vectors = vectorsOf(sender);
  test.each(vectors.filter(({ valid }) => valid !== undefined).map((vector) => [vector.name, vector] as const))(
    "%s",
    async (_name, vector) => {
      expect(await verdictOf(sender, vector)).toBe(vector.valid === true ? "valid" : "invalid");
      if (vector.valid === true) expect([key, secretFault(sender.scheme, vector.secret)]).toEqual([key, undefined]);
    },
  );

  test("its vectors contain at least two valid and two invalid requests", () => {
    expect(vectors.filter(({ valid }) => valid === true).length).toBeGreaterThanOrEqual(2);
    expect(vectors.filter(({ valid }) => valid === false).length).toBeGreaterThanOrEqual(2);
  });

  test("its handshakes are answered as it demands", async () => {
    const asked = vectors.filter(({ handshake }) => handshake === true);
    expect(asked.length > 0).toBe(sender.handshakes.length > 0);
    for (const vector of asked) {
      const request = requestOf(vector);
      const json = await request.json();
      const proven: SentRequest = { ...request, head: () => json };
      const handshake = handshakeOf(sender.handshakes, request, false) ?? handshakeOf(sender.handshakes, proven, true);
      if (handshake === undefined) throw new Error(`${vector.name} is not recognized`);
      if (handshake.signed) expect(await verdictOf(sender, vector)).toBe("valid");
      const { visit: address, ...answer } = vector.expect ?? { status: 200 };
      expect(handshakeFaults([handshake], "")).toEqual([]);
      expect(answerTo(handshake, [hide(vector.secret)], handshake.signed ? proven : request)).toMatchObject(answer);
      if (address === undefined) continue;
      const visited: string[] = [];
      expect(await visit(netOf(vector, visited), handshake, request)).toBe(true);
      expect(visited).toEqual([address]);
    }
  });
});
