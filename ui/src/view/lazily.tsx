// A part of the page that is loaded when it is first shown.

import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Failed, Loading } from "./panes";

export function lazily<P extends object>(load: () => Promise<FunctionComponent<P>>): FunctionComponent<P> {
  let found: FunctionComponent<P> | null = null;
  return function Lazily(props: P) {
    const [tries, again] = useState(0);
    const [problem, setProblem] = useState<string | null>(null);
    useEffect(() => {
      if (found !== null) return;
      load().then(
        (part) => {
          found = part;
          again((count) => count + 1);
        },
        (error: Error) => setProblem(error.message),
      );
    }, [tries]);
    if (found !== null) {
      const Found = found;
      return <Found {...props} />;
    }
    if (problem === null) return <Loading />;
    return <Failed what="This part of the page could not be loaded." why={problem} again={() => (setProblem(null), again(tries + 1))} />;
  };
}
