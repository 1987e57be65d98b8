/**
 * An app's model context.
 *
 * @module
 */
import type { AppModel } from "../../model/app/app-model.js";
import { textOf } from "../../model/messages/messages.js";
import { useObservable } from "../use-observable.js";
import { CopyButton } from "./fields.js";
import { moment } from "./format.js";
import { Json } from "./json.js";
import { TextBlock } from "./text-block.js";

/** The latest model context of the app. */
export function ModelContextTab({ app }: { app: AppModel }) {
  useObservable(app);
  const { modelContext, modelContextAt } = app;
  if (!modelContext)
    return (
      <p className="in-none soft">
        The app has sent no model context. This tab shows what it sends with ui/update-model-context, as the
        model would read it.
      </p>
    );
  const { content = [], structuredContent } = modelContext;
  const text = textOf({ content });
  return (
    <div className="in-scroll">
      <p className="soft small">
        Changed at {moment(modelContextAt ?? 0)}. It is added to the user's next message; each update replaces
        the previous one.
      </p>
      <section className="in-section">
        <h3>Text</h3>
        {text ? <TextBlock text={text} label="Text for the model" /> : <p className="soft">None.</p>}
        <CopyButton label="Copy the text" text={() => text} />
      </section>
      <section className="in-section">
        <h3>Structured content</h3>
        {structuredContent === undefined ? (
          <p className="soft">None.</p>
        ) : (
          <Json value={structuredContent} label="Structured content" />
        )}
      </section>
    </div>
  );
}
