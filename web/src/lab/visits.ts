/** The guided first visit: five live pictures, each with a question, a knob, and what there is to see. */

import type { Turn } from "./knobs.ts";
import type { Shown } from "./overlay.tsx";

export interface Visit {
  title: string;
  question: string;
  /** What the knob shows, when one has turned it. */
  answer: string;
  text: string;
  knob: Turn;
  shown: Shown[];
}

const RATES: Shown = { table: "flows", by: ["flow"], column: "rate_bps", title: "Rates" };
const QUEUE: Shown = {
  table: "queues",
  by: ["link"],
  column: "queue_pkts",
  title: "Packets waiting at the bottleneck",
};
const USE: Shown = {
  table: "links",
  by: ["link"],
  column: "utilisation",
  title: "Use of the bottleneck",
  only: ["bottleneck"],
};

export const VISITS: Visit[] = [
  {
    title: "A buffer too small",
    question: "One TCP over a satellite hop. How small may the router's buffer be before the link is no longer full?",
    answer:
      "TCP halves its window at each loss. The link stays full if what waited in the buffer bridges the gap: about a " +
      "round-trip time's worth of packets, 150 here. A smaller buffer leaves the link idle after each loss; a larger " +
      "one only makes everybody wait.",
    text: `# One TCP with Reno's window over a long way: the buffer decides how much of the link it uses.
format = 1
name = "small-buffer"
duration = "120 s"
warmup = "20 s"

[topology]
kind = "dumbbell"
left = 1
right = 1

[links.bottleneck]
rate = "4 Mbit/s"
delay = "150 ms"
queue = { kind = "drop-tail", limit = "20 packets" }

[flows.download]
kind = "tcp"
variant = "reno"

[probes]
queues = ["bottleneck"]
interval = "1 s"
`,
    knob: { path: "links.bottleneck.queue.limit", label: "Buffer", least: 5, most: 500 },
    shown: [USE, QUEUE],
  },
  {
    title: "RED and drop-tail",
    question: "Ten TCPs share a link. Which discipline of the queue keeps it full without making everybody wait?",
    answer:
      "Drop-tail drops when nothing fits any more: the buffer is always nearly full, and all wait for it. RED drops " +
      "a few packets early, at random, by the average queue: the link is as full, and the queue stays short.",
    text: `# Ten TCPs and a buffer that is large enough for trouble.
format = 1
name = "red-or-drop-tail"
duration = "60 s"
warmup = "10 s"

[topology]
kind = "dumbbell"
left = 10
right = 10

[links.bottleneck]
rate = "10 Mbit/s"
delay = "20 ms"
queue = { kind = "drop-tail", limit = "200 packets" }

[flows.web]
kind = "tcp"
count = 10
start_jitter = "2 s"

[probes]
queues = ["bottleneck"]
interval = "1 s"
`,
    knob: {
      path: "links.bottleneck.queue",
      label: "Queue",
      choices: [
        { text: '{ kind = "drop-tail", limit = "200 packets" }', about: "drop-tail" },
        { text: '{ kind = "red", limit = "200 packets", adaptive = true }', about: "RED, adaptive" },
        { text: '{ kind = "codel", limit = "200 packets" }', about: "CoDel" },
      ],
    },
    shown: [QUEUE, USE],
  },
  {
    title: "One rate for unequal receivers",
    question: "A TFMCC session to three receivers: one of them has a slow line. Who decides what all of them get?",
    answer:
      "One rate must suit all, so the slowest receiver decides: it is the current limiting receiver. The others have " +
      "room that stays empty. Layers, or a sender that weighs receivers, are the two ways out.",
    text: `# A single-rate session: everybody gets what the slowest can take.
format = 1
name = "unequal-receivers"
duration = "120 s"
warmup = "20 s"

[topology]
kind = "star"
left = 1
right = 3
access = { rate = "4 Mbit/s", delay = "20 ms", queue = { kind = "drop-tail", limit = "40 packets" } }

[links.access-right-2]
rate = "500 kbit/s"

[sessions.film]
scheme = "tfmcc"
source = "left-0"
receivers = { nodes = ["right-0", "right-1", "right-2"] }

[probes]
interval = "1 s"
`,
    knob: { path: "links.access-right-2.rate", label: "The slow line", least: 50, most: 4000 },
    shown: [{ table: "receivers", by: ["receiver"], column: "rate_bps", title: "Rates of the receivers" }],
  },
  {
    title: "A hand-off",
    question: "A station turns from one satellite to the next. What does a TCP do if that takes a moment?",
    answer:
      "The station turns after 70 s. Without a gap nothing is lost: what waits goes to the new satellite. Half a second " +
      "costs TCP half of its window. From a second on its timer runs out: it begins anew with a window of one packet, " +
      "and a timer that doubles keeps it still for longer than the gap.",
    text: `# Iridium over Berkeley and Boston, around the moment at which Berkeley turns to another satellite.
format = 1
name = "hand-off"
duration = "120 s"
warmup = "0 s"

[topology]
kind = "constellation"
shell = "iridium"
start = "450 s"
handoff_outage = "100 ms"

[stations.berkeley]
latitude = 37.9
longitude = -122.3

[stations.boston]
latitude = 42.3
longitude = -71.1

[flows.download]
kind = "tcp"
from = "berkeley"
to = "boston"

[probes]
queues = ["berkeley-up"]
interval = "1 s"
`,
    knob: { path: "topology.handoff_outage", label: "Without a link for", least: 0, most: 5000 },
    shown: [RATES, { table: "flows", by: ["flow"], column: "cwnd_pkts", title: "Congestion window" }],
  },
  {
    title: "Layer blocking",
    question: "A session in layers beside TCPs: the router decides how many layers go on. What if more TCPs come?",
    answer:
      "The router compares what the session takes with what the TCPs get, and blocks its highest layers until both are " +
      "about alike. Receivers do nothing for it. Beside one TCP all 15 layers come through, beside ten three or four.",
    text: `# A session of layers, blocked by the router so that it is worth about one TCP.
format = 1
name = "layers-and-tcp"
duration = "300 s"
warmup = "60 s"

[topology]
kind = "dumbbell"
left = 12
right = 12

[links.bottleneck]
rate = "1.5 Mbit/s"
delay = "20 ms"
queue = { kind = "drop-tail", limit = "30 packets" }
agent = { kind = "layer-blocking" }

[sessions.film]
scheme = "layer-blocking"
source = "left-11"
receivers = { nodes = ["right-11"] }

[flows.tcp]
kind = "tcp"
count = 2

[probes]
queues = ["bottleneck"]
interval = "2 s"
`,
    knob: { path: "flows.tcp.count", label: "TCP flows", least: 1, most: 10 },
    shown: [RATES, { table: "receivers", by: ["receiver"], column: "level", title: "Layers that get through" }],
  },
];
