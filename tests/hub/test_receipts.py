"""A command is answered once: by what the store keeps, and by what it had no room for."""

from bascule.commands import Refused, Taken
from bascule.hub.receipts import Receipts
from bascule.ids import CommandId
from tests.hub.troubled import FullStore

A, B = CommandId("a"), CommandId("b")


async def test_the_first_receipt_of_a_command_stays() -> None:
    store = FullStore()
    receipts = Receipts(store)
    assert await receipts.of(A) is None
    await receipts.keep(A, Taken())
    await receipts.keep(A, Refused(reason="late"))
    assert await receipts.of(A) == Taken()
    assert await Receipts(store).of(A) == Taken()


async def test_what_found_no_room_is_known_meanwhile_and_kept_with_the_next_that_does() -> None:
    store = FullStore()
    receipts = Receipts(store)
    store.full_for = {"put_receipt"}
    await receipts.keep(A, Taken())
    await receipts.keep(A, Refused(reason="late"))
    assert await receipts.of(A) == Taken()
    assert await store.receipt(A) is None
    store.full_for = set()
    await receipts.keep(B, Refused(reason="no"))
    assert (await store.receipt(A), await store.receipt(B)) == (Taken(), Refused(reason="no"))
