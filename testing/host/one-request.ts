/** An instance of docs/hosts/back-ends.md that lives for one request: `<handler> <JSON of the request>`. */
import { serverless } from "../../examples/hosts/back-ends/serverless.js";
import { folderStore } from "./folder-store.js";

const [handler, request = "", folder = "", url = "", secret = ""] = process.argv.slice(2);
const store = folderStore(folder);
const handlers = serverless({
  url,
  secret,
  records: {
    get: async (name) => (await store.get(name)) ?? undefined,
    set: async (name, record) => void (await store.set(name, record)),
  },
  userOf: ({ headers }) => headers.get("user") ?? undefined,
});
const { url: address, ...init } = JSON.parse(request);
const answer = await handlers[handler as keyof typeof handlers](new Request(address, init));
process.send?.({ status: answer.status, text: await answer.text() });
process.disconnect?.();
