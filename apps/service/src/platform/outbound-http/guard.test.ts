import { describe, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { ServiceError } from "../../lib/lib.ts";
import type { BlockReason } from "./outbound-http.ts";
import { closedPort, startReceiver } from "./testing/receivers.ts";
import { startNet } from "../../testing/net-setup.ts";
import type { NetSetup } from "../../testing/net-setup.ts";

/** Names of the test's own name server. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "public.test": ["93.184.216.34", "2606:4700:4700:0:0:0:0:1111"],
  "private.test": ["10.0.0.1"],
  "mixed.test": ["93.184.216.34", "192.168.1.1"],
  "mixed6.test": ["93.184.216.34", "fe80:0:0:0:0:0:0:1"],
  "loop.test": ["127.0.0.1"],
  "loop6.test": ["0:0:0:0:0:0:0:1"],
  "linklocal.test": ["169.254.7.7"],
  "metadata.test": ["169.254.169.254"],
  "metadata6.test": ["fd00:0ec2:0:0:0:0:0:254"],
  "metadata.google.internal": ["93.184.216.34"],
  "instance-data": ["93.184.216.34"],
  "carrier.test": ["100.64.0.1"],
  "empty.test": [],
};

const UNSAFE: Readonly<Record<BlockReason, readonly string[]>> = {
  not_https: [
    "http://public.test/",
    "http://93.184.216.34/",
    "http://127.0.0.1/",
    "HTTP://public.test",
    "HTTP://[fe80::1%25eth0]/",
    "ftp://public.test/",
    "ws://public.test/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/plain,hi",
  ],
  private: [
    "https://private.test/",
    "https://mixed.test/",
    "https://PRIVATE.test./hook",
    "https://10.0.0.1/",
    "https://10.1/",
    "https://012.0.0.1/",
    "https://0xa000001/",
    "https://167772161/",
    "https://172.16.0.1:8443/",
    "https://192.168.255.255/",
    "https://[fd12:3456::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://[64:ff9b::a00:1]/",
    "https://[2002:a00:1::]/",
    "https://[2606:4700::5efe:a00:1]/",
  ],
  loopback: [
    "https://loop.test/",
    "https://loop6.test/",
    "https://localhost/",
    "https://LOCALHOST:4000/",
    "https://localhost./",
    "https://app.localhost/",
    "https://127.0.0.1/",
    "https://127.0.0.1./",
    "https://127.1/",
    "https://127.0.1/",
    "https://127.9.9.9/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://0x7f000001/",
    "https://017700000001/",
    "https://0177.0.0.1/",
    "https://0x0000007f.0.0.1/",
    "https://１２７.０.０.１/",
    "https://127。0。0。1/",
    "https://①②⑦.0.0.1/",
    "https://%31%32%37.0.0.1/",
    "https://lo%63alhost/",
    "https://ｌｏｃａｌｈｏｓｔ/",
    "https:127.0.0.1/",
    "https:\\\\127.0.0.1\\",
    "https://[::1]/",
    "https://[::1%25lo]/",
    "https://[::ffff:127.0.0.1%25lo]/",
    "https://[0:0:0:0:0:0:0:1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[::127.0.0.1]/",
    "https://[64:ff9b::127.0.0.1]/",
    "https://[64:ff9b:1::7f00:1]/",
    "https://[64:ff9b:1:7f00:0:100::]/",
    "https://[2002:7f00:1::]/",
    "https://[2001:0:808:808:8000:63bf:80ff:fffe]/",
    "https://[2606:4700::200:5efe:127.0.0.1]/",
  ],
  link_local: [
    "https://linklocal.test/",
    "https://mixed6.test/",
    "https://169.254.1.1/",
    "https://[fe80::1]/",
    "https://[febf::1]/",
    "https://[fe80::1%25eth0]/",
    "https://[FE80::1%eth0]:8443/hook?x=1",
    "https://[::ffff:169.254.1.1]/",
  ],
  metadata: [
    "https://metadata.test/latest/meta-data/",
    "https://metadata6.test/",
    "https://169.254.169.254/",
    "https://0xa9fea9fe/",
    "https://2852039166/",
    "https://[::ffff:a9fe:a9fe]/",
    "https://[64:ff9b::169.254.169.254]/",
    "https://[fd00:ec2::254]/",
    "https://168.63.129.16/",
    "https://100.100.100.200/",
    "https://169.254.170.2/",
    "https://metadata.google.internal/computeMetadata/v1/",
    "https://Metadata.Google.Internal./",
    "https://metadata/",
    "https://instance-data/",
    "http://metadata.google.internal/",
  ],
  reserved: [
    "https://carrier.test/",
    "https://0/",
    "https://0.0.0.0/",
    "https://100.64.0.1/",
    "https://192.0.0.8/",
    "https://192.0.2.1/",
    "https://198.18.0.1/",
    "https://198.51.100.1/",
    "https://203.0.113.1/",
    "https://224.0.0.1/",
    "https://240.0.0.1/",
    "https://255.255.255.255/",
    "https://[::]/",
    "https://[2001:db8::1]/",
    "https://[ff02::1]/",
    "https://[100::1]/",
    "https://[2606:4700::1111%25eth0]/",
  ],
  credentials_in_url: [
    "https://user:pass@public.test/",
    "https://user@public.test/",
    "https://:pass@public.test/",
    "https://public.test@127.0.0.1/",
    "https://127.0.0.1%23@public.test/",
  ],
  dns_failed: ["https://unknown.test/", "https://empty.test/", `https://${"a".repeat(64)}.test/`],
  malformed: [
    "",
    "nonsense",
    "https://",
    "https:///",
    "//public.test/",
    "https://pub lic.test/",
    " https://public.test/",
    "https://public.test/\n",
    "https://pub\tlic.test/",
    "https://public.test/\u0000",
    "https://public.test:0/",
    "https://public.test:65536/",
    "https://1.2.3.4.5/",
    "https://256.256.256.256/",
    "https://[::1/",
    "https://[fe80::1%25eth0",
    "https://[fe80::1%25eth0]x/",
    "https://[fe80:::1%25eth0]/",
    "https://[127.0.0.1%25lo]/",
    "https://user@[fe80::1%25eth0]/",
    "ftp://[fe80::1%25eth0]/",
    "https://[::ffff:127.0.0.1.]/",
    "https://%00.test/",
  ],
};

async function startGuarded(allow = ""): Promise<NetSetup> {
  // The inbox is configured as in the service: plain HTTP elsewhere must not pass because of it.
  const setup = await startNet({ allow, inbox: { origin: "http://inbox.test:4000", pathPrefix: "/inbox/" } });
  for (const [name, addresses] of Object.entries(NAMES)) setup.dns.set(name, addresses);
  return setup;
}

async function refusal(setup: NetSetup, url: string): Promise<unknown> {
  try {
    await setup.net.vet(url);
  } catch (error) {
    if (error instanceof ServiceError) return { code: error.code, ...error.details.extra, text: error.details.detail };
    throw error;
  }
  return null;
}

async function refusesAll(reason: BlockReason): Promise<void> {
  await using setup = await startGuarded();
  for (const url of UNSAFE[reason]) {
    expect.soft(await refusal(setup, url), url).toEqual({ code: "url_blocked", reason, text: expect.any(String) });
    const { errorClass, errorDetail, status, resolvedIp } = await setup.post(url);
    const expected =
      reason === "dns_failed"
        ? { errorClass: "dns", errorDetail: "host not found" }
        : { errorClass: "target_refused", errorDetail: `target refused: ${reason}` };
    expect
      .soft({ errorClass, errorDetail, status, resolvedIp }, url)
      .toEqual({ ...expected, status: null, resolvedIp: null });
  }
}

describe("at save and at send, in any spelling,", () => {
  covers("target.refuse.private", "a URL that leads to a private address is refused", async () => {
    await refusesAll("private");
  });
  covers("target.refuse.loopback", "a URL that leads to a loopback address is refused", async () => {
    await refusesAll("loopback");
  });
  covers("target.refuse.link-local", "a URL that leads to a link-local address is refused", async () => {
    await refusesAll("link_local");
  });
  covers("target.refuse.metadata", "a URL that leads to a cloud's metadata is refused", async () => {
    await refusesAll("metadata");
  });
  test("a URL that leads to a reserved address is refused", async () => await refusesAll("reserved"));
  test("a URL that is not https is refused", async () => await refusesAll("not_https"));
  test("a URL with credentials is refused", async () => await refusesAll("credentials_in_url"));
  test("a URL whose name does not resolve is refused", async () => await refusesAll("dns_failed"));
  test("a text that is not a URL is refused", async () => await refusesAll("malformed"));
});

covers("target.check.save", "saving accepts a safe target on any port, and refuses an unsafe one", async () => {
  await using setup = await startGuarded();
  for (const url of [
    "https://public.test/hook?a=b#c",
    "https://PUBLIC.test.:8443/",
    "https://8.8.8.8/",
    "https://[2606:4700:4700::1111]:444/",
    "https://[::ffff:8.8.8.8]/",
  ]) {
    expect(await refusal(setup, url)).toBeNull();
  }
  expect(await refusal(setup, "https://loop.test/")).toMatchObject({ code: "url_blocked", reason: "loopback" });
});

test("the refusal never shows the address", async () => {
  await using setup = await startGuarded();
  const error = await setup.net.vet("https://private.test/").catch((caught: unknown) => caught);
  expect(JSON.stringify([error, String(error)])).not.toContain("10.0.0");
});

covers("target.check.send", "a name that resolves to loopback at send is refused without a connection", async () => {
  await using setup = await startNet();
  const receiver = await setup.use(startReceiver());
  setup.dns.set("rebinding.test", ["93.184.216.34"]);
  const url = `https://rebinding.test:${receiver.port}/`;
  await setup.net.vet(url);

  setup.dns.set("rebinding.test", ["127.0.0.1"]);
  expect(await setup.post(url)).toMatchObject({
    errorClass: "target_refused",
    errorDetail: "target refused: loopback",
    status: null,
    resolvedIp: null,
  });
  expect(receiver.connections()).toBe(0);
});

test("an operator's exemption opens only its addresses, plain HTTP included", async () => {
  await using setup = await startGuarded("127.0.0.0/8:9000,10.0.0.0/24");
  expect(await refusal(setup, "http://loop.test:9000/")).toBeNull();
  expect(await refusal(setup, "http://localhost:9000/")).toBeNull();
  expect(await refusal(setup, "https://[::ffff:127.0.0.1]:9000/")).toBeNull();
  expect(await refusal(setup, "https://private.test/")).toBeNull();
  expect(await refusal(setup, "http://loop.test:9001/")).toMatchObject({ reason: "not_https" });
  expect(await refusal(setup, "https://loop.test:9001/")).toMatchObject({ reason: "loopback" });
  expect(await refusal(setup, "http://public.test/")).toMatchObject({ reason: "not_https" });
  expect(await refusal(setup, "https://10.0.1.1/")).toMatchObject({ reason: "private" });
  // One exempt address does not allow the other.
  expect(await refusal(setup, "https://mixed.test/")).toMatchObject({ reason: "private" });
});

describe("the built-in inbox", () => {
  test("is reached on our own listener, regardless of its origin's address", async () => {
    await using receiving = await startNet();
    const receiver = await receiving.use(startReceiver());
    const connectTo = { address: "127.0.0.1", port: receiver.port };
    await using setup = await startNet({
      inbox: { origin: "https://junction.test/", pathPrefix: "/inbox/", connectTo },
    });
    await setup.net.vet("https://junction.test/inbox/token");
    expect(await setup.post("https://junction.test/inbox/token?a=b")).toMatchObject({ status: 200, errorClass: null });
    expect(receiver.received).toMatchObject([{ path: "/inbox/token?a=b", headers: { host: "junction.test" } }]);
  });

  test("is an exception for its own paths only", async () => {
    const connectTo = { address: "127.0.0.1", port: await closedPort() };
    await using setup = await startNet({
      inbox: { origin: "http://127.0.0.1:4000", pathPrefix: "/inbox/", connectTo },
    });
    for (const path of [
      "/v1/keys",
      "/inbox",
      "/inbox/../v1/keys",
      "/inbox/%2e%2e/v1/keys",
      "/inbox/..%2fv1",
      "/inbox/..%5Cv1",
    ]) {
      expect.soft(await refusal(setup, `http://127.0.0.1:4000${path}`), path).toMatchObject({ reason: "not_https" });
    }
    expect(await refusal(setup, "http://127.0.0.1:4001/inbox/token")).toMatchObject({ reason: "not_https" });
    expect(await refusal(setup, "http://a@127.0.0.1:4000/inbox/token")).toMatchObject({ reason: "credentials_in_url" });
    expect(await refusal(setup, "http://127.0.0.1:4000/inbox/token")).toBeNull();
  });
});
