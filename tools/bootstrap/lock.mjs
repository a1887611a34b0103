// One process at a time installs packages. A lock whose owner is gone is removed.
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { root, say } from "./report.mjs";

// `npm ci` empties node_modules, so the lock is next to it.
const mutex = join(root, ".junction-install");
const owner = join(mutex, "owner.json");

const unwrittenOwnerIsStaleAfterMs = 10_000;
const anyOwnerIsStaleAfterMs = 30 * 60_000;

/** Waits until no other process installs. */
export function acquire() {
  for (let waited = false; ; waited = true) {
    if (take()) return;
    if (evictStale()) continue;
    if (!waited) say("waiting for another process that installs packages");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
}

export function release() {
  rmSync(mutex, { recursive: true, force: true });
}

function take() {
  try {
    mkdirSync(mutex);
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
  writeFileSync(owner, JSON.stringify({ pid: process.pid, host: hostname() }));
  // Keeps an abandoned lock out of `git status`.
  writeFileSync(join(mutex, ".gitignore"), "*\n");
  return true;
}

/** Removes a lock whose owner is gone. True when it is worth trying to take the lock again at once. */
function evictStale() {
  const judged = readText(owner);
  if (!isStale(judged)) return false;
  const aside = `${mutex}.${process.pid}`;
  try {
    renameSync(mutex, aside);
  } catch {
    return true;
  }
  if (readText(join(aside, "owner.json")) === judged) {
    rmSync(aside, { recursive: true, force: true });
    return true;
  }
  // Someone evicted and took it between our look and our rename: it is theirs.
  renameSync(aside, mutex);
  return false;
}

function isStale(ownerText) {
  const age = ageMs();
  if (age === undefined) return false;
  if (age > anyOwnerIsStaleAfterMs) return true;
  const { pid, host } = parse(ownerText);
  if (pid === undefined) return age > unwrittenOwnerIsStaleAfterMs;
  return host === hostname() && !isAlive(pid);
}

function ageMs() {
  try {
    return Date.now() - statSync(mutex).mtimeMs;
  } catch {
    return undefined;
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

export function readText(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
