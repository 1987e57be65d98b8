import type { RecordStore } from "@vitrine/sandbox";
import { serveSandbox } from "@vitrine/sandbox/node";

/** Any store that all replicas reach: Redis, a table, a bucket. */
export interface SharedStore {
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<unknown>;
  delete(key: string): Promise<unknown>;
}

/** Starts a sandbox that serves what any replica registered. */
export function serveShared(store: SharedStore) {
  const records: RecordStore = {
    get: async (name) => (await store.get(`app:${name}`)) ?? undefined,
    set: async (name, record) => void (await store.set(`app:${name}`, record)),
    delete: async (name) => void (await store.delete(`app:${name}`)),
  };
  return serveSandbox({
    secret: Buffer.from(process.env.SANDBOX_SECRET ?? "", "base64"),
    hosts: ["https://chat.example"],
    origin: "https://{role}-{label}.apps.example.com",
    port: Number(process.env.PORT ?? 8090),
    records,
  });
}
