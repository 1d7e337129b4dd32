"""Opens what `go run ./internal/bench/office` has written with openpyxl, python-docx and
python-pptx, and counts what each file holds before and after: nothing may become less.
With --draw N, LibreOffice draws N files of each kind that all operations were applied to.

    python3 internal/bench/office/check.py FOLDER RESULTS [--draw N]
"""
import collections
import os
import subprocess
import sys
import tempfile
import warnings

import docx
import openpyxl
import pptx

warnings.filterwarnings("ignore")


def workbook(path):
    book = openpyxl.load_workbook(path, keep_vba=True)
    held = collections.Counter(sheets=len(book.sheetnames), names=len(book.defined_names))
    for s in book.worksheets:
        held.update(merged=len(s.merged_cells.ranges), conditions=sum(len(c.rules) for c in s.conditional_formatting), validations=len(s.data_validations.dataValidation),
                    tables=len(s.tables), charts=len(s._charts), pictures=len(s._images), pivots=len(s._pivots))
        for c in list(s._cells.values()):  # those that are there; a sheet may be wide
            if c.value is not None:
                held["formulas" if c.data_type == "f" else "values"] += 1
            held["comments"] += c.comment is not None
            held["links"] += c.hyperlink is not None
    return held


def document(path):
    d = docx.Document(path)
    words = sum(len(p.text.split()) for p in d.paragraphs)
    return collections.Counter(paragraphs=len(d.paragraphs), words=words, tables=len(d.tables), pictures=len(d.inline_shapes), sections=len(d.sections), styles=len(d.styles))


def presentation(path):
    p = pptx.Presentation(path)
    held = collections.Counter(slides=len(p.slides), layouts=len(p.slide_layouts))
    for s in p.slides:
        held.update(shapes=len(s.shapes), notes=s.has_notes_slide, charts=sum(x.has_chart for x in s.shapes), tables=sum(x.has_table for x in s.shapes))
    return held


READ = {".xlsx": workbook, ".xlsm": workbook, ".docx": document, ".docm": document, ".pptx": presentation, ".pptm": presentation}
# What an operation takes away by itself.
LESS = {("add_table", "shapes"), ("add_picture", "shapes"), ("add_chart", "shapes"), ("all", "shapes"), ("tracked_replace", "words"), ("replace_text", "words"), ("add_link", "words"), ("delete_rows", "values"), ("accept_changes", "paragraphs"), ("accept_changes", "words")}


def held(path):
    try:
        return READ[os.path.splitext(path)[1].lower()](path), ""
    except Exception as e:
        return None, f"{type(e).__name__}: {e}"


def main(folder, results, draw):
    before = {}
    for name in sorted(os.listdir(folder)):
        if os.path.splitext(name)[1].lower() in READ and os.path.getsize(os.path.join(folder, name)) < 500_000:  # openpyxl takes minutes
            before[name] = held(os.path.join(folder, name))
    print(f"{sum(h is not None for h, _ in before.values())} of {len(before)} files can be opened as they are")
    for op in sorted(os.listdir(results)):
        opened = same = 0
        for name in sorted(set(os.listdir(os.path.join(results, op))) & set(before)):
            was, _ = before[name]
            now, why = held(os.path.join(results, op, name))
            if was is None:
                same += 1
                continue
            if now is None:
                print("   ", op, name, "cannot be opened:", why[:200])
                continue
            opened += 1
            less = {k: (was[k], now[k]) for k in was if now[k] < was[k] and (op, k) not in LESS}
            if less:
                print("   ", op, name, "holds less:", less)
        print(f"{op:20} opened {opened}, not opened before either {same}")
    for ending in (".xlsx", ".docx", ".pptx"):
        drawn(folder, os.path.join(results, "all"), [n for n in sorted(os.listdir(os.path.join(results, "all"))) if n.endswith(ending)][:draw])


def drawn(folder, results, names):
    if not names:
        return
    found = []
    for where in (folder, results):
        with tempfile.TemporaryDirectory() as out:
            for name in names:
                try:
                    subprocess.run(["soffice", f"-env:UserInstallation=file://{out}/profile", "--headless", "--convert-to", "pdf", "--outdir", out, os.path.join(where, name)],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=90)
                except subprocess.TimeoutExpired:
                    print("    takes over 90 seconds:", where, name)
            found.append({n for n in names if os.path.exists(os.path.join(out, os.path.splitext(n)[0] + ".pdf"))})
    print(f"LibreOffice draws {len(found[0])} of {len(names)} as they are, {len(found[1])} after all operations", *(found[0] - found[1]))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[4]) if sys.argv[3:4] == ["--draw"] else 0)
