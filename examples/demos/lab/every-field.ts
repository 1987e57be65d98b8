import { z } from "zod";

/** A schema with every kind of form field. */
export const everyField = z.object({
  text: z.string().min(1).max(40).default("Hello").describe("1 to 40 characters"),
  pattern: z
    .string()
    .regex(/^[A-Z]{2}-\d{3}$/, "Two capital letters, a dash, three digits: AB-123")
    .default("AB-123")
    .describe("Two capital letters, a dash, three digits"),
  email: z.email().optional().describe("An address, or nothing"),
  link: z.url().optional().describe("An address of the web, or nothing"),
  date: z.iso.date().optional().describe("A day, or nothing"),
  time: z.iso.datetime().optional().describe("A moment, or nothing"),
  number: z.number().min(0).max(1).multipleOf(0.01).default(0.5).describe("From 0 to 1, in hundredths"),
  whole: z.number().int().min(1).max(10).default(3).describe("A whole number from 1 to 10"),
  flag: z.boolean().default(true).describe("Yes or no"),
  choice: z.enum(["red", "green", "blue"]).default("green").describe("One of three"),
  fixed: z.literal("always this").default("always this").describe("A constant"),
  choices: z
    .array(z.enum(["north", "east", "south", "west"]))
    .max(4)
    .default(["north"])
    .describe("Some of four"),
  words: z.array(z.string().min(1)).min(1).max(5).default(["one", "two"]).describe("1 to 5 words"),
  pair: z.tuple([z.string(), z.number()]).default(["x", 1]).describe("A word and a number"),
  person: z
    .object({
      name: z.string().default("Ada"),
      address: z
        .object({ street: z.string().optional(), city: z.string().default("London") })
        .default({ city: "London" }),
    })
    .default({ name: "Ada", address: { city: "London" } })
    .describe("An object in an object"),
  rows: z
    .array(z.object({ name: z.string(), amount: z.number().min(0) }))
    .max(5)
    .default([{ name: "tea", amount: 2 }])
    .describe("A list of objects"),
  shape: z
    .discriminatedUnion("kind", [
      z.object({ kind: z.literal("circle"), radius: z.number().positive() }).meta({ title: "Circle" }),
      z
        .object({ kind: z.literal("box"), width: z.number().positive(), height: z.number().positive() })
        .meta({ title: "Box" }),
    ])
    .default({ kind: "circle", radius: 2 })
    .describe("One of two kinds (oneOf)"),
  either: z
    .union([z.string().min(1), z.number().int()])
    .default("text")
    .describe("Text or a whole number (anyOf)"),
  maybe: z.string().nullable().default(null).describe("Text or null"),
  labels: z.record(z.string(), z.string()).default({ size: "large" }).describe("Any keys, with text"),
  required: z.string().min(1).describe("The one field that has no default"),
});
