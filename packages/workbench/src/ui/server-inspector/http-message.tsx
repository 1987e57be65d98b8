/**
 * Shows an HTTP message.
 *
 * @module
 */
import type { SignInBody, SignInHeaders } from "@vitrine/wire";
import type { ReactNode } from "react";
import { Json } from "../inspector/json.js";
import "./sign-in.css";

/** Headers and body of a request or an answer, with secrets masked by the gateway. */
export function HttpMessage({
  title,
  headers,
  body,
  level: Heading = "h3",
  children,
}: {
  title: string;
  level?: "h3" | "h5";
  headers: SignInHeaders;
  body: SignInBody | undefined;
  children?: ReactNode;
}) {
  return (
    <div className="sign-in-message">
      <Heading>{title}</Heading>
      {children}
      <div className="si-table">
        <table aria-label={`Headers of the ${title.toLowerCase()}`}>
          <tbody>
            {headers.map(([name, value], index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a header may occur twice, and the list never changes.
              <tr key={index}>
                <th scope="row" className="mono">
                  {name}
                </th>
                <td className="mono">{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {body && <Body body={body} label={`Body of the ${title.toLowerCase()}`} />}
    </div>
  );
}

function Body({ body: { kind, text }, label }: { body: SignInBody; label: string }) {
  const value = kind === "json" || kind === "form" ? parsed(text) : undefined;
  if (value !== undefined) return <Json value={value} label={kind === "form" ? `${label} (form)` : label} />;
  if (kind === "hidden") return <p className="soft small">Not shown: {text}</p>;
  return <pre className="sign-in-text">{text}</pre>;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
