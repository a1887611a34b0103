import { once } from "node:events";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { mkdtemp, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { covers } from "../../../../../requirements/covers.ts";
import { connectorFiles, drop, newSigner, signatureOf, signed, signer } from "../../testing/connectors.ts";
import type { Files, Signer } from "../../testing/connectors.ts";
import { MAX_FILES, MAX_FILE_BYTES, readFolder } from "./folder.ts";
import { readPackage } from "./package.ts";
import type { Package } from "./package.ts";
import { assertNoCollisions, assertPlainPath } from "./paths.ts";
import { ConnectorRefusedError } from "./version-refusal.ts";
import type { Trust, TrustedKey } from "./trust.ts";

const root = await mkdtemp(join(tmpdir(), "junction-packages-"));
afterAll(async () => await rm(root, { recursive: true, force: true }));

function trusted(of: Signer, more: Partial<TrustedKey> = {}): [string, TrustedKey] {
  const { keyId, publicKey } = of;
  return [keyId, { keyId, publicKey, name: "", connectors: null, development: false, revokedAt: null, ...more }];
}
const TRUST: Trust = new Map([trusted(signer)]);

async function read(folder: string, trust = TRUST, name = "acme"): Promise<Package> {
  return readPackage(name, await readFolder(folder), trust);
}

/** Returns the code of the refusal, and the path that it names. */
async function refusal(work: () => unknown): Promise<[code: string, path: string | null]> {
  try {
    await work();
  } catch (error) {
    if (error instanceof ConnectorRefusedError) return [error.reason.code, error.reason.path];
    throw error;
  }
  throw new Error("it was not refused");
}

async function refused(files: Files, trust = TRUST): Promise<[code: string, path: string | null]> {
  const folder = await drop(join(root, "acme"), files);
  return await refusal(async () => await read(folder, trust));
}

const good = (): Files => signed("acme", connectorFiles("acme"));

covers(
  ["connector.folder.signed", "connector.file.class", "connector.file.actions-json", "connector.file.settings-json"],
  "a signed folder with one class, actions.json and settings.json is accepted in either language",
  async () => {
    for (const runtime of ["ts", "php"]) {
      const found = await read(await drop(join(root, "acme"), signed("acme", connectorFiles("acme", { runtime }))));
      expect(found.description).toMatchObject({ runtime, priority: 20, webhook: null });
      expect(found.actions.map(({ key }) => key)).toEqual(["acme.refund"]);
      expect(found.settings.required).toEqual(["base_url", "api_key"]);
      expect(found.signers).toEqual([signer.keyId]);
    }
  },
);

describe("signing", () => {
  covers("connector.folder.signed", "a folder without a manifest or a signature is refused as unsigned", async () => {
    const { "MANIFEST.json": _manifest, ...withoutManifest } = good();
    const { "MANIFEST.sig": _signature, ...withoutSignature } = good();
    expect(await refused(withoutManifest)).toEqual(["unsigned", "MANIFEST.json"]);
    expect(await refused(withoutSignature)).toEqual(["unsigned", "MANIFEST.sig"]);
    expect(await refused(connectorFiles("acme"))).toEqual(["unsigned", "MANIFEST.json"]);
  });

  covers(
    "connector.folder.signed",
    "a manifest edited by one byte is refused before its contents are used",
    async () => {
      const files = good();
      const manifest = files["MANIFEST.json"] ?? "";
      expect(await refused({ ...files, "MANIFEST.json": manifest.replace('"1.0.0"', '"1.0.1"') })).toEqual([
        "manifest_edited",
        "MANIFEST.json",
      ]);
      expect(await refused({ ...files, "MANIFEST.json": `${manifest}\n` })).toEqual([
        "manifest_edited",
        "MANIFEST.json",
      ]);
      expect(await refused({ ...files, "MANIFEST.json": "not JSON" })).toEqual(["manifest_edited", "MANIFEST.json"]);
    },
  );

  covers("connector.folder.signed", "a file modified, added or removed after the signing is refused", async () => {
    expect(await refused({ ...good(), "connector.ts": "class Acme extends AbstractConnector { evil() {} }" })).toEqual([
      "file_modified",
      "connector.ts",
    ]);
    expect(await refused({ ...good(), "README.md": "# Acmf\n" })).toEqual(["file_modified", "README.md"]);
    expect(await refused({ ...good(), "extra.ts": "" })).toEqual(["file_unlisted", "extra.ts"]);
    expect(await refused({ ...good(), ".env": "" })).toEqual(["path_malformed", ".env"]);
    const { "fixtures/charge.json": _fixture, ...rest } = good();
    expect(await refused(rest)).toEqual(["file_missing", "fixtures/charge.json"]);
  });

  test("keys that are unknown, revoked or not allowed for the connector are refused separately", async () => {
    expect(await refused(good(), new Map())).toEqual(["key_unknown", "MANIFEST.sig"]);
    expect(await refused(signed("acme", connectorFiles("acme"), { by: [newSigner()] }))).toEqual([
      "key_unknown",
      "MANIFEST.sig",
    ]);
    const revoked = new Map([trusted(signer, { revokedAt: 1 as TrustedKey["revokedAt"] })]);
    expect(await refused(good(), revoked)).toEqual(["key_revoked", "MANIFEST.sig"]);
    const others = new Map([trusted(signer, { connectors: ["other"] })]);
    expect(await refused(good(), others)).toEqual(["key_not_allowed", "MANIFEST.sig"]);
  });

  test("one trusted key of two is enough unless a known key's signature is invalid", async () => {
    const next = newSigner();
    const files = signed("acme", connectorFiles("acme"), { by: [next, signer] });
    const folder = await drop(join(root, "acme"), files);
    expect((await read(folder)).signers).toEqual([signer.keyId]);
    expect((await read(folder, new Map([trusted(next)]))).signers).toEqual([next.keyId]);
    const both = new Map([trusted(next), trusted(signer, { revokedAt: 1 as TrustedKey["revokedAt"] })]);
    expect((await read(folder, both)).signers).toHaveLength(2);
    const wrong = signatureOf("another manifest", [next]);
    const mixed = JSON.parse(files["MANIFEST.sig"] ?? "");
    mixed.signatures[0] = JSON.parse(wrong).signatures[0];
    expect(
      await refused({ ...files, "MANIFEST.sig": JSON.stringify(mixed) }, new Map([trusted(next), trusted(signer)])),
    ).toEqual(["manifest_edited", "MANIFEST.json"]);
  });

  test("a signature of the manifest without the domain prefix is invalid", async () => {
    const { sign } = await import("node:crypto");
    const files = good();
    const signature = sign(null, Buffer.from(files["MANIFEST.json"] ?? ""), signer.privateKey).toString("base64");
    const text = JSON.stringify({
      format: "junction-connector-signature-1",
      signatures: [{ key_id: signer.keyId, signature }],
    });
    expect(await refused({ ...files, "MANIFEST.sig": text })).toEqual(["manifest_edited", "MANIFEST.json"]);
  });

  test.each([
    ["not JSON", ""],
    ["no member", "{}"],
    ["three signatures", JSON.stringify({ format: "junction-connector-signature-1", signatures: [1, 2, 3] })],
    [
      "a short one",
      JSON.stringify({
        format: "junction-connector-signature-1",
        signatures: [{ key_id: signer.keyId, signature: "AAAA" }],
      }),
    ],
    ["one key twice", signatureOf("x", [signer, signer])],
    ["a name twice", '{"format":"junction-connector-signature-1","format":"x","signatures":[]}'],
  ])("a signature file with %s is refused", async (_name, text) => {
    const [code] = await refused({ ...good(), "MANIFEST.sig": text });
    expect(code).toBe("signature_malformed");
  });
});

describe("hostile manifests with a valid signature", () => {
  /** Returns the code of the refusal for a manifest that a trusted key has signed. */
  async function hostile(manifest: string): Promise<string> {
    const files = { ...good(), "MANIFEST.json": manifest, "MANIFEST.sig": signatureOf(manifest, [signer]) };
    return (await refused(files))[0];
  }
  const manifest = (): string => good()["MANIFEST.json"] ?? "";

  test.each([
    ["deep", () => "[".repeat(10_000), "manifest_malformed"],
    ["of another form", () => "{}", "manifest_malformed"],
    ["with a name twice", () => manifest().replace("{", '{"key":"acme",'), "manifest_malformed"],
    ["with an unknown member", () => manifest().replace("{", '{"admin":true,'), "manifest_malformed"],
    ["spelled otherwise", () => `${manifest()} `, "manifest_not_canonical"],
    [
      "with a number spelled otherwise",
      () => manifest().replace(/"size":(\d+)/, '"size":$1.0'),
      "manifest_not_canonical",
    ],
    ["of another key", () => manifest().replace('"key":"acme"', '"key":"acmf"'), "connector_key_mismatch"],
    ["that lists itself", () => manifest().replace('"README.md"', '"MANIFEST.sig"'), "manifest_malformed"],
    ["with a prototype's name", () => manifest().replace('"README.md"', '"__proto__"'), "file_missing"],
  ])("a manifest that is %s is refused", async (_name, made, code) => {
    expect(await hostile(made())).toBe(code);
  });

  test("names of prototype members are ordinary file names", async () => {
    const files = signed("acme", { ...connectorFiles("acme"), constructor: "", toString: "", __proto__x: "" });
    expect((await read(await drop(join(root, "acme"), files))).manifest.files["toString"]).toMatchObject({ size: 0 });
    const change = { files: JSON.parse('{"__proto__":{"sha256":"' + "0".repeat(64) + '","size":0}}') };
    expect(await refused(signed("acme", connectorFiles("acme"), { change }))).toEqual(["file_missing", "__proto__"]);
  });

  test("a manifest that is too large is refused before it is parsed", async () => {
    expect(await hostile(`{"files":"${"x".repeat(300_000)}"}`)).toBe("too_large");
    const many = Object.fromEntries(
      Array.from({ length: MAX_FILES + 1 }, (_, at) => [`f${at}`, { sha256: "0".repeat(64), size: 0 }]),
    );
    expect((await refused(signed("acme", connectorFiles("acme"), { change: { files: many } })))[0]).toBe(
      "manifest_malformed",
    );
  });

  test.each([
    ["../etc/passwd", "path_traversal"],
    ["a/../../b", "path_traversal"],
    ["./a", "path_traversal"],
    ["/etc/passwd", "path_absolute"],
    ["C:/windows", "path_absolute"],
    ["a\\b", "path_backslash"],
    ["a\u0000b", "manifest_malformed"],
    ["a\nb", "path_control"],
    ["caf\u00E9", "path_unicode"],
    ["cafe\u0301", "path_unicode"],
    ["a//b", "path_malformed"],
    ["a/", "path_malformed"],
    ["a.", "path_malformed"],
    ["nul.txt", "path_malformed"],
    ["a b", "path_malformed"],
    ["x".repeat(201), "path_malformed"],
    ["Readme.md", "path_collision"],
    ["Fixtures/other.json", "path_collision"],
    ["manifest.json", "path_collision"],
  ])("the path %j is refused as %s", async (path, code) => {
    const files = Object.fromEntries(
      [...Object.keys(connectorFiles("acme")), path].map((one) => [one, { sha256: "0".repeat(64), size: 0 }]),
    );
    expect((await refused(signed("acme", connectorFiles("acme"), { change: { files } })))[0]).toBe(code);
  });
});

describe("contents of the folder", () => {
  test("links are not followed, wherever they are and wherever they lead", async () => {
    const folder = await drop(join(root, "acme"), good());
    await rename(join(folder, "README.md"), join(root, "README.md"));
    await symlink(join(root, "README.md"), join(folder, "README.md"));
    expect(await refusal(async () => await read(folder))).toEqual(["symlink", "README.md"]);
    await drop(folder, good());
    await rename(join(folder, "fixtures"), join(root, "fixtures"));
    await symlink(join(root, "fixtures"), join(folder, "fixtures"));
    expect(await refusal(async () => await read(folder))).toEqual(["symlink", "fixtures"]);
    await drop(folder, good());
    await rm(join(root, "linked"), { force: true });
    await symlink(folder, join(root, "linked"));
    expect(await refusal(async () => await read(join(root, "linked")))).toEqual(["symlink", null]);
  });

  test("a file swapped while it is read gives the signed bytes or a refusal", async () => {
    const folder = await drop(join(root, "acme"), good());
    const place = join(folder, "connector.ts");
    const original = good()["connector.ts"] ?? "";
    await writeFile(join(root, "secret"), "s".repeat(original.length));
    let going = true;
    const swapping = (async () => {
      for (let turn = 0; going; turn += 1) {
        await rm(place, { force: true });
        if (turn % 2 === 0) await symlink(join(root, "secret"), place);
        else await writeFile(place, original);
      }
    })();
    const seen = new Set<string>();
    for (let turn = 0; turn < 200; turn += 1) {
      try {
        seen.add((await read(folder)).files.get("connector.ts")?.toString() ?? "");
      } catch (error) {
        if (!(error instanceof ConnectorRefusedError)) throw error;
        seen.add(error.reason.code);
      }
    }
    going = false;
    await swapping;
    const allowed = new Set([original, "symlink", "unreadable", "file_modified", "file_missing"]);
    expect([...seen].filter((one) => !allowed.has(one))).toEqual([]);
  });

  test("a special file is refused", async () => {
    const folder = await drop(join(root, "acme"), good());
    const socket = createServer().listen(join(folder, "socket"));
    await once(socket, "listening");
    expect(await refusal(async () => await read(folder))).toEqual(["special_file", "socket"]);
    socket.close();
  });

  test("a folder with too many files, bytes or levels is refused", async () => {
    const many = Object.fromEntries(Array.from({ length: MAX_FILES }, (_, at) => [`f${at}`, ""]));
    expect((await refused({ ...good(), ...many }))[0]).toBe("too_many_files");
    const folder = await drop(join(root, "acme"), good());
    await truncate(join(folder, "README.md"), 10 * 1024 ** 3);
    expect(await refusal(async () => await read(folder))).toEqual(["too_large", "README.md"]);
    await drop(folder, good());
    for (let at = 0; at < 9; at += 1) {
      await writeFile(join(folder, `f${at}`), "");
      await truncate(join(folder, `f${at}`), MAX_FILE_BYTES);
    }
    expect(await refusal(async () => await read(folder))).toEqual(["too_large", null]);
    expect((await refused({ ...good(), "a/b/c/d/e/f/g/h/i": "" }))[0]).toBe("too_deep");
  });

  test("names on disk follow the same rules as those of the manifest", async () => {
    expect((await refused({ ...good(), "caf\u00E9": "" }))[0]).toBe("path_unicode");
    expect((await refused({ ...good(), "readme.MD": "" }))[0]).toBe("path_collision");
    expect((await refused({ ...good(), "a\\b": "" }))[0]).toBe("path_backslash");
    expect((await refused({ ...good(), "a\u001Bb": "" }))[1]).toBe("a\\u001bb");
    expect(await refusal(() => assertPlainPath("a\u0000b"))).toEqual(["path_control", "a\\u0000b"]);
    expect((await refusal(() => assertNoCollisions(["a/b", "A/c"])))[0]).toBe("path_collision");
  });
});
