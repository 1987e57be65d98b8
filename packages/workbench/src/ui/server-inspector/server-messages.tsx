/**
 * Messages between the gateway and a server, with those of its apps.
 *
 * @module
 */
import { type ReactNode, useEffect } from "react";
import type { LoggedMessage } from "../../model/app/app-log.js";
import type { TimelineMessage } from "../../model/server/timeline.js";
import { MessagesTab } from "../inspector/messages.js";
import { saveFile } from "../save-file.js";
import { useObserved } from "../use-observable.js";
import { HttpOfMessage } from "./http.js";
import type { ServerTabProps } from "./server-inspector.js";

/** Only messages of the server: the gateway has masked their secrets, and nobody those of apps. */
function save(shown: readonly LoggedMessage[]): void {
  const own = shown.filter((message) => (message as TimelineMessage).app === undefined);
  saveFile("messages.json", JSON.stringify(own, undefined, 2), "application/json");
}

const EMPTY =
  "No messages yet. Everything that passes between the gateway and this server while this inspector is open is listed here, with the messages of its apps.";

/** A single list for both. */
export function ServerMessagesTab({ workbench, shown, inspected }: ServerTabProps) {
  const { timeline } = inspected;
  const { name } = shown.summary;
  const { conversation } = workbench;
  const apps = useObserved(conversation, (each) => each.apps.map(({ id }) => id).join());
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is made anew each time; its ids say whether it changed.
  useEffect(() => {
    const own = conversation.apps.filter(({ source }) => source.server === name && !source.isRecording);
    timeline.follow(own.map(({ id, source, log }) => ({ id, title: source.title, log })));
  }, [apps, timeline, name]);
  const causeOf = (message: LoggedMessage): TimelineMessage | undefined =>
    timeline.causeOf(message as TimelineMessage);
  const moreOf = (message: LoggedMessage): ReactNode => (
    <HttpOfMessage inspected={inspected} message={message as TimelineMessage} />
  );
  return (
    <MessagesTab
      log={timeline}
      other="server or app"
      empty={EMPTY}
      causeOf={causeOf}
      onSave={save}
      {...(shown.summary.transport !== "stdio" && { moreOf })}
    />
  );
}
