"""What a tool call means: from its name, input and result to payload, title, facts, risks and rules.

Pure and total: no function here raises, whatever the model wrote or the CLI answered. The names of tools stand in this
package and nowhere else; a new tool is one function in its family and one line in ``describe.py``.

``describe`` payloads · ``titles`` a line for people · ``facts`` what a policy looks at · ``shell`` reading a command
line · ``risks`` marks for the dialog · ``suggest`` rules that *allow always* could make · ``todos`` the to-do list.
"""

from bascule.tools.describe import ask_kind, describe, finish
from bascule.tools.facts import Facts, facts, with_paths
from bascule.tools.risks import marks, parts
from bascule.tools.suggest import suggestions
from bascule.tools.titles import title
from bascule.tools.todos import todos_after

__all__ = [
    "Facts",
    "ask_kind",
    "describe",
    "facts",
    "finish",
    "marks",
    "parts",
    "suggestions",
    "title",
    "todos_after",
    "with_paths",
]
