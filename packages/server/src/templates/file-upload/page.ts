/** The page of the upload. It uses closures instead of a class, which minify better. */
import { callTool } from "../page/call.js";
import { element, put, set } from "../page/dom.js";
import { type Kit, type Page, startPage } from "../page/kit.js";
import { toolOf } from "../page/submit.js";
import { sendMessage, tellModel } from "../page/tell.js";
import { writeNumber } from "../page/write.js";
import { limitsInWords, limitsOf, refusalOf, sizeInWords, type WriteNumber } from "./limits.js";
import { read } from "./read.js";
import { type Row, rowOf } from "./row.js";
import type { FileUploadConfig } from "./template.js";

startPage<FileUploadConfig>("file-upload", "Upload files", uploadPage);

const isOpen = ({ state }: Row): boolean => state !== "done";
const factsOf = ({ name, type, size }: File): { name: string; type: string; size: number } => ({
  name,
  type,
  size,
});
/** Identifies a file without reading it. */
const signOf = ({ name, size, lastModified }: File): string => [name, size, lastModified].join("/");

function uploadPage(kit: Kit<FileUploadConfig>): Page {
  const { config } = kit;
  const { each, multiple = true, cancelable, description } = config;
  const limits = limitsOf(config);
  const number: WriteNumber = (...given) => writeNumber(kit, ...given);
  const written = (bytes: number): string => sizeInWords(bytes, number);
  let rows: Row[] = [];
  let isBusy = false;
  let isStopped = false;

  const input = element("input", {
    type: "file",
    class: "unseen",
    multiple,
    accept: limits.accept.join(),
    onchange: () => {
      add([...(input.files as FileList)]);
      // Allows choosing the same file again after it was removed.
      input.value = "";
    },
  });
  const note = element("span", { class: "note" });
  const pick = element("span", { class: "pick" }, multiple ? "Choose files" : "Choose a file");
  const drop = element("label", { dir: "auto" }, pick, " or drop here, or paste ", note, input);
  const list = element("ul");
  const said = element("p", { role: "status", dir: "auto" });
  /** Shows the outcome of the last action. */
  const say = (text = "", kind = "said"): void => {
    put(said, text);
    set(said, "class", kind);
  };
  // Buttons without a form: a sandbox without `allow-forms` fires no `submit`.
  const submit = element(
    "button",
    { class: "main", onclick: () => send(rows.filter(isOpen)) },
    config.submitLabel ?? "Upload",
  );
  const leave = element("button", { onclick: cancel });
  const buttons = element("div", { class: "row" }, submit, leave);
  put(kit.place, description && element("p", {}, description), drop, list, buttons, said);
  // On the whole document: a browser would open files that are dropped elsewhere.
  for (const type of ["dragover", "dragleave", "drop", "paste"] as const)
    document.addEventListener(type, take);
  work(false);
  redraw();

  /** Keeps the chosen files. */
  function redraw(): void {
    put(note, limitsInWords(limits, number));
    for (const row of rows) row.redraw();
  }

  /** Handles dropped and pasted files. */
  function take(event: DragEvent | ClipboardEvent): void {
    const { type, clipboardData, dataTransfer } = event as DragEvent & ClipboardEvent;
    event.preventDefault();
    set(drop, "class", type === "dragover" && "over");
    // While dragging, files are not readable yet.
    const items = [...((clipboardData ?? dataTransfer)?.items ?? [])];
    const refused: string[] = [];
    const files = items.flatMap((item) => {
      const file = item.getAsFile();
      if (!file || !item.webkitGetAsEntry()?.isDirectory) return file ?? [];
      refused.push(`${file.name} is a folder.`);
      return [];
    });
    if (files[0] || refused[0]) add(files, refused);
  }

  /** Adds valid files, and shows why the others are refused. */
  function add(files: readonly File[], refused: string[] = []): void {
    if (isBusy) return;
    // If only one is allowed, the new file replaces the old.
    const old = multiple ? [] : rows.filter(isOpen);
    for (const file of files) {
      const there = rows.filter((row) => !old.includes(row));
      const isThere = there.some((row) => signOf(row.file) === signOf(file));
      const others = there.filter(isOpen).map((row) => row.file);
      const problem = isThere ? "is there already." : refusalOf(file, others, limits, written);
      if (problem) refused.push(`${file.name} ${problem}`);
      else {
        const row: Row = rowOf(file, written, () => remove(row), each && (() => send([row])));
        rows = [...there, row];
      }
    }
    kit.complain(refused.join("\n"));
    showRows();
  }

  function remove(row: Row): void {
    const at = rows.indexOf(row);
    if (isBusy) return;
    rows.splice(at, 1);
    kit.complain();
    showRows();
    ((rows[at] ?? rows[at - 1])?.node ?? input).focus();
  }

  /** Shows the files and their count. */
  function showRows(): void {
    put(list, ...rows.map(({ node }) => node));
    const open = rows.filter(isOpen);
    const size = open.reduce((sum, { file }) => sum + file.size, 0);
    const files = open[1] ? "files" : "file";
    say(size ? `${number(open.length)} ${files}, ${written(size)}` : "", "status");
  }

  /** While files are sent, no others can be chosen, and cancel becomes stop. */
  function work(isWorking: boolean): void {
    isBusy = input.disabled = isWorking;
    isStopped = false;
    set(submit, "aria-disabled", isWorking && "true");
    if (document.activeElement === leave) submit.focus();
    set(leave, "hidden", !(isWorking ? each : cancelable));
    put(leave, isWorking ? "Stop" : "Cancel");
  }

  function cancel(): void {
    isStopped = true;
    if (isBusy) say("Stopping …", "status busy");
    else {
      isBusy = true;
      put(kit.place);
      kit.complain();
      kit.say("Cancelled.");
      void sendMessage(kit, "Upload cancelled");
    }
  }

  async function send(chosen: readonly Row[]): Promise<void> {
    const tool = toolOf(kit);
    if (isBusy) return;
    if (!tool || !chosen[0]) {
      kit.complain(tool ? "Choose a file first." : "No tool takes files.");
      return input.focus();
    }
    const of = (some: number): string => `${number(some)} of ${number(chosen.length)}`;
    work(true);
    for (const row of chosen) row.show("waiting");
    let text = "";
    let count = 0;
    for (const batch of each ? chosen.map((row) => [row]) : [chosen]) {
      if (isStopped) break;
      say(each ? `Sending ${of(++count)} …` : "Sending …", "status busy");
      text = (await sendBatch(tool, batch)) || text;
    }
    work(false);
    for (const row of chosen) if (row.state === "waiting") row.show("");
    const sent = chosen.length - chosen.filter(isOpen).length;
    // With one call per file, each row shows its own result.
    if (each) kit.complain();
    const words = each ? `${of(sent)} sent.` : sent ? text || "Sent." : "";
    say(words, sent === chosen.length ? "said" : "status");
    if (!sent) return;
    // The model gets the names of the files, but not their contents.
    const files = rows.filter((row) => !isOpen(row)).map(({ file }) => factsOf(file));
    const names = files.map(({ name, size }) => `${name} (${written(size)})`).join(", ");
    await tellModel(kit, `Files were sent: ${names}. ${tool} said: ${text}`, { files });
  }

  /** Sends files in one call. Returns the tool's text if it accepted them. */
  async function sendBatch(tool: string, batch: readonly Row[]): Promise<string> {
    const files: object[] = [];
    const unread: Record<string, string> = {};
    for (const [at, { file, show }] of batch.entries()) {
      show("busy");
      try {
        files.push({ ...factsOf(file), data: await read(file, config.encoding) });
      } catch (error) {
        unread[`files.${at}`] = (error as Error).message;
      }
    }
    const { ok, text, problems } = files[batch.length - 1]
      ? await callTool(kit, tool, { ...config.submitArgs, files })
      : { ok: false, text: "Nothing was sent.", problems: unread };
    if (!ok) kit.complain(text);
    for (const [at, row] of batch.entries()) {
      // `files.1.name` belongs to the second file.
      const [, problem = each && text] =
        Object.entries(problems).find(([path]) => `${path}.`.startsWith(`files.${at}.`)) ?? [];
      if (ok) row.show("done", (each && text) || undefined);
      else row.show(problem ? "failed" : "", `${problem || ""}`);
    }
    return ok ? text : "";
  }

  return {
    isReady: true,
    redraw,
    /** Shows the result of the view's own tool. */
    data(data, text) {
      if (Object.keys(Object(data))[0] && !config.submitTool) say(text);
    },
  };
}
