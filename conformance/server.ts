/** The scripted server as a program: prints `{"url"}`, and ends when its standard input does. */
import { startMock } from "./mock.ts";

const mock = await startMock();
console.log(JSON.stringify({ url: mock.url }));
process.stdin.resume().once("end", () => {
  void mock.close();
});
