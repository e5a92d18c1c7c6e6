"""The end of a capture that others can see: its streams sealed and renamed, then its final receipt, published last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture_core import names
from capture_core.errors import PlaceGone, Refused, system_words
from capture_core.receipt import encode
from capture_core.verdict import fault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capture_core.capture_files import CaptureFiles
    from capture_core.facts import Receipt
    from capture_core.spool import Spool


class Publication:
    """Of one capture; what cannot be done to a stream is a reason why that is not complete."""

    def __init__(self, files: CaptureFiles, capture_id: str, spools: Mapping[str, Spool], *, is_raw: bool) -> None:
        self._files = files
        self._capture_id = capture_id
        self._spools = spools
        self._is_raw = is_raw

    def seal_streams(self) -> None:
        """Make the streams durable under their final names, and those names too."""
        for spool in self._spools.values():
            self._seal(spool)
        try:
            self._files.sync()
        except OSError as error:
            for spool in self._spools.values():
                spool.cut(fault(error))

    def publish(self, receipt: Receipt) -> None:
        """Write and publish the final receipt.

        Raises ``OSError`` or ``Refused``: the leftover is discoverable; ``PlaceGone``: somebody removed it all.
        """
        try:
            self._write(receipt)
            self._files.publish_receipt()
        except (OSError, Refused) as error:
            if self._files.is_removed():
                raise PlaceGone("its folder was removed while the command ran; nothing is kept") from error
            raise

    def withdraw_live(self) -> str | None:
        """Remove the live receipt, which means nothing any more; what went wrong, in words."""
        try:
            self._files.withdraw_live()
        except OSError as error:
            return f"the disk did not confirm the receipt ({system_words(error)})"
        return None

    def _seal(self, spool: Spool) -> None:
        try:
            spool.seal()
        except (OSError, MemoryError, ImportError) as error:
            # Neither proved whole nor known to be safe: kept, and not called complete.
            spool.cut(fault(error))
        final = names.final_stream_file(self._capture_id, spool.name, binary=self._is_raw)
        try:
            self._files.rename(spool.file_name, final, spool.file.fd)
        except FileNotFoundError:
            spool.lose()
        except OSError as error:
            # It stays readable under the name that it has.
            spool.cut(fault(error))
        else:
            spool.file_name = final

    def _write(self, receipt: Receipt) -> None:
        try:
            self._files.write_receipt(encode(receipt))
        except OSError:
            from dataclasses import replace

            # The last words of what was cut may be what does not fit: where files may only be small.
            self._files.write_receipt(encode(replace(receipt, preview={})))
