import fc from "fast-check";
import { expect, test } from "vitest";
import { isMetadataName, classifyAddress } from "./address.ts";
import type { AddressVerdict } from "./address.ts";

const TABLE: Readonly<Record<AddressVerdict, readonly string[]>> = {
  ok: [
    "8.8.8.8",
    "93.184.216.34",
    "172.15.255.255",
    "172.32.0.1",
    "100.63.255.255",
    "100.128.0.1",
    "2606:4700:4700::1111",
    "2a00:1450:4001:831::200e",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
    "64:ff9b:1::8.8.8.8",
    "2002:808:808::1",
  ],
  private: ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1", "fc00::1", "fdff::1", "fec0::1"],
  loopback: ["127.0.0.1", "127.255.255.254", "::1", "0:0:0:0:0:0:0:1"],
  link_local: ["169.254.0.1", "169.254.255.255", "fe80::1", "febf::1", "fe80::1%eth0"],
  metadata: [
    "169.254.169.254",
    "169.254.170.2",
    "168.63.129.16",
    "100.100.100.200",
    "fd00:ec2::254",
    "fd00:0ec2:0::0254",
    "fe80::a9fe:a9fe",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
  ],
  reserved: [
    "0.0.0.0",
    "0.1.2.3",
    "100.64.0.1",
    "100.127.255.255",
    "192.0.0.1",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "100::1",
    "2001:db8::1",
    "2001:2::1",
    "2001:20::1",
    "3fff::1",
    "5f00::1",
    "4000::1",
    "ff02::1",
    "2606:4700::1%eth0",
    "64:ff9b:1:808:8:800::",
    "",
    "example.com",
    "010.8.8.8",
    "0x7f.1",
    "8.8.8",
    "1.2.3.4.5",
  ],
};

for (const [verdict, addresses] of Object.entries(TABLE)) {
  test.each(addresses)(`%s is ${verdict}`, (address) => {
    expect(classifyAddress(address)).toBe(verdict);
  });
}

const octets = fc.oneof(
  fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)),
  // The list makes special addresses frequent: random addresses are nearly all public.
  fc.constantFrom(
    [127, 0, 0, 1],
    [10, 1, 2, 3],
    [169, 254, 169, 254],
    [169, 254, 1, 1],
    [192, 168, 1, 1],
    [172, 20, 0, 9],
    [100, 64, 0, 1],
    [168, 63, 129, 16],
    [224, 0, 0, 1],
    [255, 255, 255, 255],
  ),
);

function hex(a: number, b: number): string {
  return ((a << 8) | b).toString(16);
}

const FORMS: Readonly<Record<string, (a: number, b: number, c: number, d: number) => string>> = {
  "IPv4-mapped": (a, b, c, d) => `::ffff:${hex(a, b)}:${hex(c, d)}`,
  "IPv4-mapped, dotted": (a, b, c, d) => `::ffff:${a}.${b}.${c}.${d}`,
  NAT64: (a, b, c, d) => `64:ff9b::${hex(a, b)}:${hex(c, d)}`,
  "local NAT64": (a, b, c, d) => `64:ff9b:1::${hex(a, b)}:${hex(c, d)}`,
  "6to4": (a, b, c, d) => `2002:${hex(a, b)}:${hex(c, d)}::1`,
  Teredo: (a, b, c, d) => `2001:0:808:808:8000:63bf:${hex(a ^ 255, b ^ 255)}:${hex(c ^ 255, d ^ 255)}`,
  "Teredo's server": (a, b, c, d) => `2001:0:${hex(a, b)}:${hex(c, d)}:8000:63bf:f7f7:f7f7`,
  ISATAP: (a, b, c, d) => `2606:4700::5efe:${hex(a, b)}:${hex(c, d)}`,
  "ISATAP, universal": (a, b, c, d) => `2606:4700::200:5efe:${hex(a, b)}:${hex(c, d)}`,
};

for (const [name, form] of Object.entries(FORMS)) {
  test(`${name} addresses are classified by the IPv4 address they contain`, () => {
    fc.assert(
      fc.property(octets, ([a = 0, b = 0, c = 0, d = 0]) => {
        expect(classifyAddress(form(a, b, c, d))).toBe(classifyAddress(`${a}.${b}.${c}.${d}`));
      }),
    );
  });
}

test("an IPv4-compatible address is classified by its IPv4 address, except ::1", () => {
  fc.assert(
    fc.property(octets, ([a = 0, b = 0, c = 0, d = 0]) => {
      fc.pre(a > 0);
      expect(classifyAddress(`::${a}.${b}.${c}.${d}`)).toBe(classifyAddress(`${a}.${b}.${c}.${d}`));
    }),
  );
});

test("no IPv6 address outside 2000::/3 passes unless it contains an IPv4 address", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 }), (groups) => {
      const [first = 0] = groups;
      fc.pre(first >> 13 !== 1 && first > 0x64);
      expect(classifyAddress(groups.map((group) => group.toString(16)).join(":"))).not.toBe("ok");
    }),
  );
});

test.each(["metadata.google.internal", "METADATA.Google.Internal.", "metadata", "instance-data", "Instance-Data."])(
  "%s is a metadata name",
  (name) => {
    expect(isMetadataName(name)).toBe(true);
  },
);

test("a name that only contains a metadata name is not a metadata name", () => {
  expect(isMetadataName("metadata.google.internal.example.com")).toBe(false);
});
