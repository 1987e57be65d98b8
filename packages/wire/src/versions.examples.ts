/** Examples of the versions of a conversation. */
import { alternatives, type ConversationState, shownItems } from "@vitrine/wire";

export function words(conversation: ConversationState): string[] {
  //#region shownItems
  const shown = shownItems(conversation.items);
  const lines = shown.map((item) => (item.kind === "user" ? "You" : item.kind));
  //#endregion shownItems
  return lines;
}

export function places(conversation: ConversationState, show: (line: string) => void): void {
  //#region alternatives
  for (const [item, { versions, shown }] of alternatives(conversation.items))
    show(`${item}: version ${shown + 1} of ${versions.length}`);
  //#endregion alternatives
}
