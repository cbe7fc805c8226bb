"""Guess which column is the row, the column, the weight and the time from their names.

Where two columns would fit, nothing is guessed.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence

# English, German, French, Spanish, Italian, Portuguese, Dutch; without accents. Words that mean something else in
# another of these languages (note, data, tag as a day) are left out.
_NAMES: dict[str, str] = {
    "row": "user customer client member person who account visitor session basket order shopper reader listener viewer "
    "patient row kunde kunden kundin nutzer benutzer mitglied besucher kaufer leser horer konto bestellung warenkorb "
    "utilisateur acheteur membre lecteur visiteur compte commande panier usuario cliente comprador miembro cuenta "
    "pedido utente acquirente lettore ordine carrello utilizador gebruiker klant lezer",
    "col": "item product article movie film book song track artist page what thing sku goods title tag label col "
    "column artikel produkt ware buch lied titel produit livre chanson titre articulo producto libro cancion pelicula "
    "articolo prodotto canzone produto livro boek",
    "weight": "rating stars score weight count plays clicks quantity amount value times bewertung sterne anzahl menge "
    "evaluation etoiles quantite nombre valoracion puntuacion calificacion estrellas cantidad voto valutazione stelle "
    "quantita avaliacao quantidade beoordeling aantal",
    "time": "time timestamp date datetime moment day when zeit datum zeitpunkt kaufdatum bestelldatum heure fecha hora "
    "tijd",
}
_WORDS = {role: frozenset(names.split()) for role, names in _NAMES.items()}
_OPINIONS = {
    "rating", "stars", "score", "bewertung", "sterne", "evaluation", "etoiles", "valoracion", "puntuacion",
    "calificacion", "estrellas", "voto", "valutazione", "stelle", "avaliacao", "beoordeling",
}  # fmt: skip
_OF_RATINGS = {"user": "row", "item": "col", "rating": "weight"}
_NUMBERED = {"id", "ids", "name", "key", "no", "nr", "nummer", "number", "num", "numero", "code"}


def guess_roles(columns: Sequence[str]) -> dict[str, str]:
    """Role → column, for every role that exactly one column's name fits.

    Endings such as ``_id`` and upper case do not matter. A table of just two columns needs no telling names: the
    first one is taken for the rows.

    >>> guess_roles(["userId", "movie_id", "rating", "timestamp"])
    {'row': 'userId', 'col': 'movie_id', 'weight': 'rating', 'time': 'timestamp'}
    >>> guess_roles(["from", "to"])
    {'row': 'from', 'col': 'to'}
    >>> guess_roles(["user", "customer", "item"])
    {'col': 'item'}
    >>> guess_roles(["Käufer-Nr", "Artikelnummer", "Menge"])
    {'row': 'Käufer-Nr', 'col': 'Artikelnummer', 'weight': 'Menge'}
    """
    result = _by_name(columns)
    if len(columns) == 2 and not ("row" in result and "col" in result):
        return {"row": columns[0], "col": columns[1]}
    return result


def _by_name(columns: Sequence[str]) -> dict[str, str]:
    words = {column: _bare(column) for column in columns}
    fitting = {role: [column for column in columns if words[column] in names] for role, names in _WORDS.items()}
    return {role: matches[0] for role, matches in fitting.items() if len(matches) == 1}


def guess_rating_columns(present: Sequence[str], asked: Mapping[str, str]) -> dict[str, str]:
    """Names in place of "user", "item" and "rating" where these were not asked for otherwise and are not there.

    Empty unless all that are missing can be guessed.

    asked : "user", "item", "rating" → the name that was asked for, which is the same word by default; more names are
        columns that have another role

    >>> guess_rating_columns(["kunde", "item", "sterne"], {"user": "user", "item": "item", "rating": "rating"})
    {'user': 'kunde', 'rating': 'sterne'}
    """
    lacking = {name: role for name, role in _OF_RATINGS.items() if asked[name] == name and name not in present}
    taken = {column for name, column in asked.items() if name not in lacking}
    roles = _by_name([column for column in present if column not in taken])
    guessed = {name: roles[role] for name, role in lacking.items() if role in roles}
    return guessed if len(guessed) == len(lacking) else {}


def guess_said(guessed: Mapping[str, str]) -> str:
    """One sentence on what was guessed, as options that say the same."""
    return f"columns guessed by their names: {' '.join(f'--{name} {column}' for name, column in guessed.items())}."


def is_opinion(column: str) -> bool:
    """Whether a column holds what people think, low values included, rather than how often something happened.

    >>> is_opinion("Rating"), is_opinion("plays")
    (True, False)
    """
    return _bare(column) in _OPINIONS


def _bare(column: str) -> str:
    """The telling word of a column name: ``userId``, ``USER_ID`` and ``user ids`` are all ``user``."""
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", column) if not unicodedata.combining(sign))
    parts = [part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", plain)]
    while len(parts) > 1 and parts[-1] in _NUMBERED:
        parts.pop()
    word = "".join(parts)
    shorter = [word.removesuffix(ending) for ending in ("id", "nr", "nummer")]
    return next((one for one in shorter if one in _WORDS["row"] | _WORDS["col"]), word)
