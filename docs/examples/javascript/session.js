// One session of a bot with an arbiter, from nothing but the .proto files.
import fs from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

import grpc from "@grpc/grpc-js";
import protoLoader from "@grpc/proto-loader";

const PROTOCOL = 1;

// What this bot knows. A later version of Sandlot may speak of more; a match in which it does is
// refused by the name of what is unknown, never played by guessing.
const RULES = { baseball: "baseball/1", "seven-card-stud": "seven-card-stud/1" };
const ACTIONS = new Set(["check", "bet", "call", "raise", "fold"]);
const EVENTS = new Set(["ante", "deal", "open", "action", "reveal", "award"]);

const HERE = path.dirname(fileURLToPath(import.meta.url));
const PROTO = process.env.SANDLOT_PROTO ?? path.join(HERE, "../../../proto");

// Plays `act` until the arbiter ends the session. `act` takes an observation and returns the name
// of a legal action; what it throws is shown here and told to the arbiter, and play goes on.
export function run(act) {
  const { SANDLOT_ADDRESS: address, SANDLOT_TOKEN: token } = process.env;
  if (!address || !token) {
    fail("set SANDLOT_ADDRESS and SANDLOT_TOKEN; an arbiter does so for the bots that it starts");
  }
  const metadata = new grpc.Metadata();
  metadata.set("authorization", `Bearer ${token}`);
  const client = connect(address);
  const stream = client.Play(metadata);
  const session = new Session(act, (message) => stream.write(message));

  stream.on("data", (message) => session.hear(message.items));
  stream.on("error", (error) => {
    fail(`the arbiter at ${address} ended the session: ${error.details} (${grpc.status[error.code]})`);
  });
  stream.on("end", () => client.close());

  stream.write({
    hello: { protocol: PROTOCOL, sdk: "sandlot-javascript-example/1", variants: Object.keys(RULES) },
  });
}

function connect(address) {
  if (!fs.existsSync(path.join(PROTO, "sandlot/v1/arbiter.proto"))) {
    fail(`no sandlot/v1/arbiter.proto in ${PROTO}: set SANDLOT_PROTO to the folder it lies in`);
  }
  const definition = protoLoader.loadSync("sandlot/v1/arbiter.proto", {
    includeDirs: [PROTO],
    keepCase: true, // the names as they are in the files
    defaults: true, // a field that is not sent has its default
    arrays: true,
    oneofs: true, // `item.item` is the name of the one that is set
  });
  const { sandlot } = grpc.loadPackageDefinition(definition);
  return new sandlot.v1.ArbiterService(address, grpc.credentials.createInsecure(), {
    "grpc.max_receive_message_length": -1,
  });
}

export class Session {
  #act;
  #send;
  #refused = new Map(); // matches that are not played, and why
  #answers = []; // decided and not yet sent

  constructor(act, send) {
    this.#act = act;
    this.#send = send;
  }

  // Takes the items of one message, in their order.
  hear(items) {
    for (const item of items) {
      this.#hearOne(item);
    }
  }

  #hearOne(item) {
    switch (item.item) {
      case "decision_requested":
        return this.#decide(item.decision_requested.observation);
      case "match_started":
        return this.#start(item.match_started);
      case "match_ended":
        return this.#refused.delete(item.match_ended.match);
      case "warning":
        return this.#warn(item.warning);
      case "welcome":
      case "hand_ended":
        return undefined; // of no use to a bot without memory
      default:
        return say("the arbiter told something that this bot does not know");
    }
  }

  #start({ match, variant, rules }) {
    if (RULES[variant] !== rules) {
      this.#refuse(match, `the variant "${variant}" with the rules "${rules}"`);
    }
  }

  #decide(seen) {
    const { match, decision } = seen;
    const unknown = this.#refused.has(match) ? undefined : whatIsUnknown(seen);
    if (unknown !== undefined) {
      this.#refuse(match, unknown);
    }
    const answer = { match, decision };
    if (this.#refused.has(match)) {
      answer.exception = this.#refused.get(match);
    } else {
      try {
        answer.action = { name: this.#act(seen) };
      } catch (error) {
        say(error?.stack ?? String(error));
        answer.exception = String(error);
      }
    }
    this.#answer(answer);
  }

  // Answers travel together: all that are ready when this turn of the event loop ends.
  #answer(answer) {
    this.#answers.push(answer);
    if (this.#answers.length === 1) {
      setImmediate(() => this.#send({ decisions: this.#answers.splice(0) }));
    }
  }

  #refuse(match, unknown) {
    this.#refused.set(match, `${unknown} is unknown to this bot`);
    say(`match ${match} is refused: ${this.#refused.get(match)}`);
  }

  #warn({ match, decision, text }) {
    say(`the arbiter warns: ${match && `match ${match}, decision ${decision}: `}${text}`);
  }
}

// The name of the first thing in an observation that this bot does not know, if there is one.
function whatIsUnknown({ legal, history }) {
  for (const choice of legal) {
    if (!ACTIONS.has(choice.name)) {
      return `the action "${choice.name}"`;
    }
    if ("least" in choice || "most" in choice || choice.cards.length) {
      return `the action "${choice.name}" with an amount or cards to choose`;
    }
  }
  for (const { event, action } of history) {
    if (!EVENTS.has(event)) {
      return `the event "${event}"`;
    }
    if (event === "action" && !ACTIONS.has(action.name)) {
      return `the action "${action.name}"`;
    }
  }
  return undefined;
}

// Standard output and standard error of a bot end up in a file that the tournament names.
function say(text) {
  console.error(text);
}

function fail(text) {
  say(`Error: ${text}`);
  process.exit(1);
}
