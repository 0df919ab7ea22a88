// A bot for Sandlot: checks when it can and calls when it must.
import { run } from "./session.js";

// What is decided: one of `seen.legal`, by its name. `seen` is the message Observation of
// proto/sandlot/v1/table.proto, with the names as they stand there. It holds all that this seat may
// know, so a bot needs no memory of its own.
function act(seen) {
  const legal = seen.legal.map((choice) => choice.name);
  return legal.includes("check") ? "check" : "call";
}

run(act);
