import { HostLifecycle, type Outgoing } from "@vitrine/protocol";

const post = (message: Outgoing) => console.log("to the view:", message.method);
const life = new HostLifecycle({ now: Date.now });

// Send at any time. The lifecycle returns what may go out now, and keeps the rest: here, it keeps the input.
for (const message of life.send("ui/notifications/tool-input", { arguments: { city: "Rome" } }))
  post(message);

// For every message of the view:
function onMessage(method: string): boolean {
  const verdict = life.received(method);
  if (verdict.serve) for (const message of verdict.flush) post(message);
  return verdict.serve;
}

// After you answered its ui/initialize:
function onAnswered(): void {
  for (const message of life.answered()) post(message);
}

// At the time `life.deadline`:
export function onDeadline(): void {
  const cause = life.expire();
  if (cause) console.log(cause.message);
}

onMessage("ui/initialize");
onAnswered();
onMessage("ui/notifications/initialized"); // to the view: ui/notifications/tool-input
