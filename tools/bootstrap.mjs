// Makes `npm start` and the other scripts work from a fresh clone: installs what package-lock.json pins, including
// the Node that runs everything else. It runs before any of that exists, so it is plain JavaScript without a dependency.
// This file is understood by Node 12, so that a Node that is too old is named.
const oldest = 18;

if (Number(process.versions.node.split(".")[0]) < oldest) {
  process.stderr.write(
    `junction: Node ${process.versions.node} is too old. Install Node ${oldest} or later, and run the command again.\n`,
  );
  process.exitCode = 78;
} else {
  void import("./bootstrap/main.mjs");
}
