// The thing that is asked about, whole: nothing of it is cut or folded.

import type { Part, Payload, PermissionRequestEvent } from "../../protocol.gen";
import { Change } from "../change";
import { Chips, Exact, Marked } from "../exact";
import { Icon } from "../icons";
import { pretty, Table } from "../output";
import { untold } from "./untold";

const ALL_LINES = 1_000_000;

export function Thing({ request }: { readonly request: PermissionRequestEvent }) {
  const { normalized: payload } = request;
  const left = untold(request);
  return (
    <>
      <Shown payload={payload} request={request} />
      {Object.keys(left).length > 0 && <Table value={left} />}
      {request.parts.length > 1 && <Parts parts={request.parts} />}
      {request.parts.length <= 1 && request.marks.length > 0 && (
        <p class="bs-marks"><Chips marks={request.marks} /></p>
      )}
      {request.says !== null && request.says !== "" && (
        <p class="bs-says"><span>Claude says:</span> “<Exact text={request.says} />”</p>
      )}
    </>
  );
}

function Shown({ payload, request }: { readonly payload: Payload; readonly request: PermissionRequestEvent }) {
  switch (payload.kind) {
    case "shell_exec":
      return (
        <div class="bs-cmd">
          <span class="dim">$ </span>
          <Marked text={payload.command} marks={[...request.marks, ...request.parts.flatMap((part) => part.marks)]} />
          {payload.timeout_ms !== null && <span class="bs-aside">at most {payload.timeout_ms / 1000} s</span>}
          {payload.background && <span class="bs-aside">in the background</span>}
        </div>
      );
    case "modify_file":
      return (
        <>
          <p class="bs-path">
            <Exact text={payload.file_path} />
            <span class="bs-chip is-line">{payload.mutations[0]?.type === "create" ? "new" : "edit"}</span>
            {payload.added !== null && <span class="good">+{payload.added}</span>}
            {payload.removed !== null && <span class="bad">−{payload.removed}</span>}
          </p>
          {payload.mutations.some((one) => one.type === "replace") && <p class="bs-note">This writes the whole file anew.</p>}
          <Change change={payload} most={ALL_LINES} asked />
        </>
      );
    case "http_request":
      return <Address url={payload.url || (payload.query ?? "")} />;
    case "mcp_call":
      return (
        <>
          <p class="bs-path"><Exact text={`${payload.server} · ${payload.tool}`} /></p>
          <Table value={request.input} />
        </>
      );
    case "read_file":
      return <p class="bs-path"><Exact text={payload.file_path} /></p>;
    case "subagent_task":
      return (
        <>
          <p class="bs-path"><Exact text={`${[payload.subagent_type, payload.model].filter(Boolean).join(" · ")} ${payload.description}`} /></p>
          <pre class="bs-full"><Exact text={payload.prompt} /></pre>
        </>
      );
    default:
      return <pre class="bs-full"><Exact text={pretty(request.input)} /></pre>;
  }
}

function Address({ url }: { readonly url: string }) {
  const host = URL.canParse(url) ? new URL(url).host : "";
  const at = host === "" ? -1 : url.indexOf(host);
  return (
    <p class="bs-cmd">
      {at < 0 ? <Exact text={url} /> : (
        <>
          <Exact text={url.slice(0, at)} />
          <b>{host}</b>
          <Exact text={url.slice(at + host.length)} />
        </>
      )}
    </p>
  );
}

function Parts({ parts }: { readonly parts: readonly Part[] }) {
  return (
    <ol class="bs-parts">
      {parts.map((part, at) => (
        <li key={part.start}>
          <span class="dim">{at + 1}</span>
          <code><Exact text={part.text} /></code>
          <span class="bs-marks"><Chips marks={part.marks} /></span>
          <span class="bs-rule" title={part.where ?? ""}>
            {part.rule === null ? "no rule" : <><Icon name="check" tone="good" /> allowed by a rule</>}
          </span>
        </li>
      ))}
    </ol>
  );
}
