import { UriTemplate } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { expandTemplate, templateVariables } from "./uri-template.js";

describe("URI templates", () => {
  it("have variables, each once", () => {
    expect(templateVariables("x://{a}/{b,c:3}{?a,d*}{+e}")).toEqual(["a", "b", "c", "d", "e"]);
    expect(templateVariables("x://fixed")).toEqual([]);
  });

  // Examples of RFC 6570, section 3.2.
  const values = { var: "value", hello: "Hello World!", path: "/foo/bar", empty: "", x: "1024", y: "768" };
  it.each([
    ["{var}", "value"],
    ["{hello}", "Hello%20World%21"],
    ["{+hello}", "Hello%20World!"],
    ["{+path}/here", "/foo/bar/here"],
    ["{x,y}", "1024,768"],
    ["{#x,hello,y}", "#1024,Hello%20World!,768"],
    ["X{.x,y}", "X.1024.768"],
    ["{/var,x}/here", "/value/1024/here"],
    ["{;x,y}", ";x=1024;y=768"],
    ["{?x,y}", "?x=1024&y=768"],
    ["?fixed=yes{&x}", "?fixed=yes&x=1024"],
    ["{var:3}", "val"],
    ["{?x,undef}", "?x=1024"],
    ["a{undef}b", "ab"],
  ])("%s becomes %s", (template, address) => {
    expect(expandTemplate(template, values)).toBe(address);
  });

  it("become what the official client understands", () => {
    for (const template of ["weather://{country}/{city}", "search://all{?q,page}", "file:///docs/{+path}"]) {
      const given = { country: "Côte d'Ivoire", city: "a b/c", q: "x&y", page: "2", path: "a/b.md" };
      const matched = new UriTemplate(template).match(expandTemplate(template, given));
      expect(Object.keys(matched ?? {})).toEqual(templateVariables(template));
    }
  });
});
