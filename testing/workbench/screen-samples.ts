/** Contents of the screens that the pictures show. */

/** Tabs of the inspector of an app. */
export const APP_TABS = [
  "Messages",
  "Timeline",
  "Policy",
  "Context",
  "Console",
  "Model context",
  "App tools",
  "Permissions",
  "Audit",
];
/** Tabs of the inspector of a server. The messages come last: a resource was read then. */
export const SERVER_TABS = [
  "Overview",
  "Tools",
  "Resources",
  "Prompts",
  "Requests",
  "Sign-in",
  "Log",
  "Messages",
];

/** An answer of a model with each kind of block. */
export const ANSWER = `Three things, and one of them is *late*:

1. Choose a colour
2. Paint the \`door\`
3. Open it

| thing | who | when |
|---|---|--:|
| colour | Ada | 3 |
| door | Lin | 12 |

\`\`\`js
const left = things.filter((each) => !each.done);
\`\`\`

> See the board for the rest.
`;

/** JSON as in the documents of a server. */
export const PASTED = `{ "mcpServers": { "notes": { "command": "notes-server", "args": ["--stdio"], "env": { "NOTES_TOKEN": "x" } } } }`;

/** Questions of servers: name of the picture, method and params. */
export const QUESTIONS = [
  [
    "question-model",
    "sampling/createMessage",
    { messages: [{ role: "user", content: { type: "text", text: "Name a fruit" } }], maxTokens: 100 },
  ],
  [
    "question-form",
    "elicitation/create",
    {
      mode: "form",
      message: "Where do you want to go?",
      requestedSchema: {
        type: "object",
        required: ["city"],
        properties: {
          city: { type: "string", title: "City" },
          nights: { type: "integer", title: "Nights", minimum: 1 },
          breakfast: { type: "boolean", title: "With breakfast" },
        },
      },
    },
  ],
  [
    "question-link",
    "elicitation/create",
    { mode: "url", message: "Sign in", url: "https://accounts.example.com/login", elicitationId: "e1" },
  ],
] as const;

/** Damages that the pictures must show. */
export const BROKEN = [
  ["a missing button", ".composer-row .primary { visibility: hidden }"],
  ["a missing icon", ".tools-button .lucide { visibility: hidden }"],
  ["a button of another colour", ".composer-row .primary { background: #b3261e !important }"],
  ["a moved panel", ".conversation-foot { padding-bottom: 20px !important }"],
  ["larger letters", ".start h2 { font-size: 25px !important }"],
] as const;
