"""Options that name a language model, how it is asked, and what it costs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from benchbench.chat.model_settings import ModelSettings
from benchbench.cli.options import Headers
from benchbench.cli.signatures import After, Fields, Options
from benchbench.results.settings import ADVANCED, Opt

if TYPE_CHECKING:
    from benchbench.chat.model import ChatModel
    from benchbench.chat.prices import Price


class ModelOptions(Options):
    """A model, how it is asked, and what it costs; `settings` are those of a `ChatModel`."""

    settings: Annotated[dict[str, Any], Fields(ModelSettings)]
    price: Annotated[
        str | None,
        Opt("US dollars per million tokens.", default="as listed", metavar="IN,OUT", section=ADVANCED),
        After("tpm"),
    ] = None
    prices: Annotated[Path | None, Opt("List of prices (TOML) to use first.", section=ADVANCED), After("price")] = None
    headers: Annotated[Headers, After("concurrency")] = ()

    def chat_model(self, **usual: str) -> "ChatModel":
        """Return the model; `usual` has values for options that are not given. InputError where it cannot be asked."""
        from benchbench.chat.model import ChatModel
        from benchbench.client.headers import read_headers

        others = {name: value for name, value in usual.items() if not self.settings[name]}
        return ChatModel(headers=read_headers(self.headers), **{**self.settings, **others})

    def priced(self, **usual: str) -> "Price | None":
        """Return the price of the model's tokens; None where nobody knows it."""
        from benchbench.chat.prices import price as found

        return found(self.chat_model(**usual).name, self.price, self.prices)
