import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { php84, whyNoPhp84 } from "../../tools/php/php84.ts";
import type { Php } from "../../tools/php/php84.ts";

/** The rules for the PHP code: docs/decisions/0085. */

const folder = fileURLToPath(new URL("php/", import.meta.url));
const files = globSync("**/*.php", { cwd: folder });
const missing = await whyNoPhp84();
const MINUTES_15 = 900_000;

const UNTYPED = `
foreach (array_slice($argv, 1) as $file) require_once $file;
$without = [];
foreach (get_declared_classes() as $name) {
    if (!str_starts_with($name, 'Junction\\\\')) continue;
    $class = new ReflectionClass($name);
    foreach ($class->getProperties() as $property)
        if ($property->class === $name && !$property->hasType()) $without[] = "$name::$" . $property->name;
    foreach ($class->getMethods() as $method) {
        if ($method->class !== $name) continue;
        if (!$method->hasReturnType() && $method->name !== '__construct') $without[] = "$name::$method->name()";
        foreach ($method->getParameters() as $parameter)
            if (!$parameter->hasType()) $without[] = "$name::$method->name($" . $parameter->name . ')';
    }
}
echo json_encode($without);`;

test.each(files)("%s declares strict types, and no line is longer than 120 characters", async (file) => {
  const text = await readFile(`${folder}${file}`, "utf8");
  expect(text.startsWith("<?php\n\ndeclare(strict_types=1);\n")).toBe(true);
  expect(text.split("\n").filter((line) => line.length > 120)).toEqual([]);
});

describe.skipIf(missing !== undefined)("on PHP 8.4", () => {
  let php: Php;
  beforeAll(async () => {
    php = await php84();
  }, MINUTES_15);

  test.each(files)("%s compiles", async (file) => {
    const ran = await php.run(["-l", `${folder}${file}`]);
    expect(ran.output).toContain("No syntax errors detected");
  });

  test("everything has a type, unless the type is impossible or up to the author", async () => {
    const paths = files.filter((file) => file.startsWith("src/")).map((file) => `${folder}${file}`);
    const ran = await php.run(["-r", UNTYPED, "--", ...paths]);
    expect((JSON.parse(ran.stdout) as string[]).toSorted()).toEqual([
      "Junction\\AbstractConnector::registerActions()",
      "Junction\\Connector\\Loop::$stderr",
      "Junction\\Connector\\Loop::__construct($stderr)",
      "Junction\\HostError::$code",
    ]);
  });
});
