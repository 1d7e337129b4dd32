"""Writes tables of countries in many languages, encodings and dialects, has da map each, and
counts what is recognised: the delimiter and the quote of 200 files, the types of their
columns, and the encoding of 40 pairs of language and encoding with 8 and with 80 rows.

    python3 internal/bench/pollock/dialects.py DA [SEED]

The package babel is needed, which has the names. An encoding counts if the text is right."""
import collections
import csv
import io
import json
import os
import random
import subprocess
import sys
import tempfile

from babel import Locale

PAIRS = """pl cp1250, pl iso8859-2, cs cp1250, cs iso8859-2, hu cp1250, ro iso8859-16, hr cp1250, sk cp852, pl cp852, pl mac_latin2,
ru cp1251, ru koi8-r, ru cp866, ru mac_cyrillic, uk koi8-u, uk cp1251, bg cp1251, bg iso8859-5, el iso8859-7, el cp1253, el cp737,
tr cp1254, tr iso8859-9, tr cp857, he cp1255, he iso8859-8, ar cp1256, ar iso8859-6, vi cp1258, th cp874, lt cp1257, lv iso8859-13,
fr cp1252, de iso8859-15, pt mac_roman, ja shift_jis, ja euc_jp, ko euc_kr, zh gb18030, zh_Hant big5"""
NAMES = {"es": "nombre,país,habitantes", "de": "Name,Größe,Preis", "fr": "numéro,prénom,ville"}


def countries(language, random):
    """Returns names of countries, and how words of the header are written."""
    names = [n for c, n in sorted(Locale.parse(language).territories.items()) if len(c) == 2 and c.isalpha() and "," not in n]
    random.shuffle(names)
    return names


def mapped(da, text, encoding, source):
    with open(source, "wb") as f:
        f.write(text.encode(encoding))
    out = subprocess.run([da, "table", "map", source, "--json"], capture_output=True)
    about = json.loads(out.stdout) if out.returncode == 0 else {}
    rows = subprocess.run([da, "table", "query", source, "SELECT * FROM data", "-o", "csv"], capture_output=True).stdout.decode("utf-8", "replace")
    return about, rows


def encodings(da, seed, source):
    right, wrong = 0, collections.Counter()
    for pair in PAIRS.replace("\n", " ").split(","):
        language, encoding = pair.split()
        for n in (8, 80):
            r = random.Random(f"{seed} {pair} {n}")
            names = []
            for name in countries(language, r):
                try:
                    name.encode(encoding)
                    names.append(name)
                except UnicodeEncodeError:
                    pass
            names = names[:n]
            text = "code,name,people\n" + "".join(f"{i},{name},{r.randrange(10**7)}\n" for i, name in enumerate(names))
            about, rows = mapped(da, text, encoding, source)
            said = any("encoding" in c["text"] for c in about.get("caveats", []))
            if all(name in rows for name in names):
                right += 1
            else:
                wrong["said" if said else "silent"] += 1
                print(f"    {language} {encoding} {n} rows: read as {about.get('encoding_detected', about)}"[:160], "said" if said else "silent")
    print(f"encodings: {right} of 80, wrong {dict(wrong)}")


def dialects(da, seed, source):
    hits = collections.Counter()
    for i in range(200):
        r = random.Random(f"{seed} {i}")
        delimiter, quote = r.choice([",", ";", "\t", "|", "~", "^", ":", " ", "||", "::"]), r.choice(['"', '"', "'"])
        style = r.choice(["all", "needed", "none"])
        names = countries(r.choice(["en", "es", "it", "fr", "de", "pl", "ru", "el", "ko", "zh", "tr"]), r)
        rows = [["id", "name", "share", "since", "active", "note"]]
        for k in range(r.choice([8, 30, 200])):
            note = r.choice(["fine", "see below", f"of {delimiter} and more", "two words"])
            rows.append([str(k + 1), names[k % len(names)], f"{r.uniform(0, 100):.2f}", f"20{r.randrange(10, 25)}-{r.randrange(1, 13):02}-{r.randrange(1, 29):02}", r.choice(["true", "false"]), note])
        quoted, lines = False, []
        for row in rows:
            cells = []
            for cell in row:
                if style == "none":
                    cell = cell.replace(delimiter, "_" if delimiter != "_" else "-")
                if style == "all" or style == "needed" and (delimiter in cell or quote in cell or "\n" in cell):
                    cell, quoted = quote + cell.replace(quote, quote * 2) + quote, True
                cells.append(cell)
            lines.append(delimiter.join(cells))
        about, _ = mapped(da, r.choice(["\n", "\r\n"]).join(lines) + "\n", "utf-8", source)
        types, found = [c["inferred_type"] for c in about.get("columns", [])], about.get("quote_char")
        good = about.get("delimiter") == delimiter
        hits["delimiter"] += good
        hits["quoted"] += quoted
        hits["quote"] += quoted and found == quote
        hits["types"] += sum(a == b for a, b in zip(types, ["integer", "string", "decimal", "date", "boolean", "string"]))
        if not good or quoted and found != quote or len(types) != 6:
            print(f"    file {i}: delimiter {delimiter!r}, quote {quote!r} ({style}): read as {about.get('delimiter')!r}, {found!r}, {types}")
    print(f"dialects: delimiter {hits['delimiter']} of 200, quote {hits['quote']} of {hits['quoted']}, types {hits['types']} of 1200")


def main(da, seed="1"):
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DA_HOME"] = os.path.join(folder, "home")
        encodings(da, seed, os.path.join(folder, "t.csv"))
        dialects(da, seed, os.path.join(folder, "t.csv"))


if __name__ == "__main__":
    main(*sys.argv[1:])
