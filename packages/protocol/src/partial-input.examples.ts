/** Examples for the doc comments in `partial-input.ts`; compiled with the tests. */
import { followInput, PartialJson } from "./partial-input.js";

export function partialJson(): (Record<string, unknown> | undefined)[] {
  //#region partialJson
  const json = new PartialJson();
  json.push('{"city":"Ro');
  const some = json.value(); // { city: "Ro" }
  json.push('me","days":1');
  const more = json.value(); // { city: "Rome" }: the number may become 10
  json.push("0}");
  const all = json.value(); // { city: "Rome", days: 10 }
  //#endregion partialJson
  return [some, more, all];
}

export async function follow(
  chunks: AsyncIterable<string>,
  show: (input: object) => void,
): Promise<Record<string, unknown>> {
  //#region followInput
  const input = await followInput(chunks, (soFar) => show(soFar), 100);
  //#endregion followInput
  return input;
}
