import { spawn } from "node:child_process";
import type { Io } from "./io.ts";

/** The program that opens a URL, by platform. None of them reads the URL as text of a shell. */
const OPENERS: Readonly<Record<string, readonly [program: string, ...args: string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Opens a URL in the browser: with the program in `BROWSER`, or the one of the platform. Returns false if none starts. */
export async function openInBrowser({ env }: Pick<Io, "env">, url: string): Promise<boolean> {
  const { protocol } = URL.parse(url) ?? { protocol: "" };
  // Openers also start programs for other addresses, such as files.
  if (protocol !== "https:" && protocol !== "http:") return false;
  const chosen = env["BROWSER"] ?? "";
  const [program, ...args] = chosen === "" ? (OPENERS[process.platform] ?? ["xdg-open"]) : [chosen];
  return await new Promise((resolve) => {
    const child = spawn(program, [...args, url], { env: { ...env }, stdio: "ignore", detached: true });
    child.once("error", () => resolve(false)).once("spawn", () => resolve(true));
    child.unref();
  });
}
