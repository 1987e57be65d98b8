/** A database from before servers had identities: written by version 0.1.0 of the gateway, on 2026-11-17. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type OlderDatabase, olderDatabase, writeOlder } from "../../../../testing/gateway/older-database.js";
import { startPostgres } from "../../../../testing/postgres.js";
import { openStore } from "./open.js";
import { sha256 } from "./row.js";

const postgres = await startPostgres();
const folder = await mkdtemp(join(tmpdir(), "vitrine-identities-"));
afterAll(async () => {
  await postgres?.remove();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

const older: OlderDatabase = await olderDatabase();
const [aboutTools] = older.tables.vitrine_consents;
if (!aboutTools) throw new Error("the fixture has no answer");
const { user, server } = aboutTools;
const link = { method: "ui/open-link", subject: "docs.example" };
const id = sha256(JSON.stringify([user, server, link.method, link.subject]));
/** Only the hash of a fingerprint is stored; this one is known here. */
older.tables.vitrine_consents.push({ ...aboutTools, ...link, id, fingerprint: sha256("the link") });
const [ANN, EVE] = ["a".repeat(64), "e".repeat(64)];
const mail = (identity: string) => ({ name: "mail", identity });

describe.each([
  ["SQLite", `sqlite:${join(folder, "gateway.db")}`],
  ...(postgres ? [["PostgreSQL", postgres.schema("identities")]] : []),
])("on %s", (_, url = "") => {
  it("rows without an identity belong to the first server that is seen with their name, and to no other", async () => {
    await writeOlder(url, older);
    const agreed = { server, ...link, fingerprint: "the link" };

    let store = await openStore(url);
    // The chain of the old rows is intact, with the new column.
    expect(await store.audit.verify()).toMatchObject({ ok: true });
    expect(await store.servers.take([mail(ANN)])).toEqual([{ ...mail(ANN), kind: "inherited" }]);
    expect(await store.servers.take([mail(ANN)])).toEqual([]);
    expect(store.servers.isHeir(mail(ANN))).toBe(true);
    const answer = (identity: string) => store.consents.get(user, { ...agreed, identity }, 0);
    expect(await answer(ANN)).toBe("allow");
    // Older answers about tools do not say whether an app or the model asked: the user is asked again.
    expect(await store.consents.list(user)).toMatchObject([{ server: "mail", ...link, answer: "allow" }]);
    await store.close();

    store = await openStore(url);
    expect(await store.servers.take([mail(EVE)])).toEqual([{ ...mail(EVE), kind: "replaced" }]);
    expect(store.servers.isHeir(mail(EVE))).toBe(false);
    expect(await answer(EVE)).toBeUndefined();
    const granted = { user, server, ...link, grantedAt: 1 };
    await store.consents.set({ ...granted, identity: EVE, fingerprint: "new", answer: "deny" });
    expect(await store.consents.get(user, { ...agreed, identity: EVE, fingerprint: "new" }, 0)).toBe("deny");
    expect(await store.consents.list(user)).toHaveLength(2);
    await store.close();

    store = await openStore(url);
    expect(await store.servers.take([mail(ANN)])).toEqual([{ ...mail(ANN), kind: "back" }]);
    expect(await store.servers.take([mail(ANN)])).toEqual([]);
    expect(await answer(ANN)).toBe("allow");
    expect(
      await store.consents.get(user, { ...agreed, identity: ANN, fingerprint: "new" }, 0),
    ).toBeUndefined();
    // A new answer replaces the inherited one.
    await store.consents.set({ ...granted, identity: ANN, fingerprint: "new", answer: "allow" });
    const identities = (await store.consents.list(user)).map(({ identity }) => identity);
    expect(identities.toSorted()).toEqual([ANN, EVE]);
    expect(await store.consents.revoke(user, { server, identity: ANN })).toBe(1);
    expect(await store.consents.revoke(user, { server })).toBe(1);
    await store.close();
  });

  it("a server that appears later with another name inherits the data of that name, once", async () => {
    const store = await openStore(url);
    expect(await store.servers.take([{ name: "other", identity: EVE }])).toMatchObject([
      { kind: "inherited" },
    ]);
    expect(store.servers.isHeir({ name: "other", identity: EVE })).toBe(true);
    expect(await store.servers.take([{ name: "other", identity: ANN }])).toHaveLength(1);
    expect(store.servers.isHeir({ name: "other", identity: ANN })).toBe(false);
    await store.close();
  });
});

it("in a new database nobody inherits anything: it may be used with apps that an older one knew", async () => {
  const store = await openStore("sqlite::memory:");
  expect(await store.servers.take([mail(EVE)])).toEqual([]);
  expect(store.servers.isHeir(mail(EVE))).toBe(false);
  await store.close();
});

it("an interrupted migration on SQLite is repeated", async () => {
  const url = `sqlite:${join(folder, "cut-off.db")}`;
  await writeOlder(url, older, ['alter table "vitrine_audit" add column "identity" text']);
  const store = await openStore(url);
  expect(await store.servers.take([mail(ANN)])).toMatchObject([{ kind: "inherited" }]);
  expect(store.servers.isHeir(mail(ANN))).toBe(true);
  await store.close();
});

it("the fixture contains no identities", async () => {
  const text = await readFile(
    new URL("../../../../testing/gateway/database-before-identities.json", import.meta.url),
    "utf8",
  );
  expect(text).not.toContain("identity");
});
