import { describe, expect, it } from "vitest";
import { headFile } from "./noted-head.js";

const URL_A = "postgres://ann:secret@db.example/gateway";

describe("the note of the end of a PostgreSQL log", () => {
  it.each([
    ["another host", "postgres://ann@other.example/gateway"],
    ["another port", "postgres://ann@db.example:5433/gateway"],
    ["another database", "postgres://ann@db.example/other"],
    ["another schema", `${URL_A}?options=-csearch_path%3Db`],
    ["another socket", `${URL_A}?host=/run/other`],
    ["another port of a socket", `${URL_A}?port=5433`],
  ])("is a different one for %s", (_what, url) => {
    expect(headFile(url, "/data")).not.toBe(headFile(URL_A, "/data"));
  });

  it("is the same with another password", () => {
    expect(headFile("postgres://ann:other@db.example/gateway", "/data")).toBe(headFile(URL_A, "/data"));
  });
});
