"""Lines of a recording to numbered events.

``Fold`` is the whole face of this package. Behind it: a dispatcher, and small machines for turns, calls, asks, streamed
text, usage, tasks and numbers. Tool knowledge is in ``tools/``, the CLI's words are in ``wire/``.
"""

from bascule.transcript.fold import Fold
from bascule.transcript.prompts import State as PromptState

__all__ = ["Fold", "PromptState"]
