package main

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
)

// caveatsShown is the part of docs/caveats.md that is written by hand. UPDATE_DOCS=1
// writes outputs into the page: move them from there. Its pictures are those of 800
// pixels that the tests of the page make with DA_SCREENSHOTS: cut-part,
// snapshot-old, part-guessed.
//
//go:embed caveats_shown.md
var caveatsShown string

// caveatsPage is docs/caveats.md.
func caveatsPage() string {
	var b strings.Builder
	b.WriteString("# Caveats\n\n" + generatedNote)
	b.WriteString(`A caveat is something that you must know to read a result rightly. It travels with the rows: from their source into a snapshot, from there into each statement that reads the column concerned, and out through every door.

- On a terminal and in scripts each is a line on standard error that begins with ` + "`WARN:`" + `, the most serious first.
- In JSON they are ` + "`caveats`" + ` beside the rows, never null. ` + "`da query --json`" + ` prints the rows alone; ` + "`--caveats FILE`" + ` writes its caveats as JSON.
- Files of parquet, Arrow and workbooks have them in their metadata, under ` + "`" + api.CaveatsKey + "`" + `: what imports such a file tells them again. In a workbook they are also its comment. A filled report has them in its receipt, with the figures; da why shows them.
- A chart of a part says "first n of m rows" in its title.
- ` + "`--strict`" + ` refuses a result, an export, a report or what is read of a file if it has caveats of the kinds ` + strictWords() + `: exit code 2, and nothing is kept. ` + "`--strict=KINDS`" + ` chooses the kinds.
- A result that a quota or a size limit has cut is refused with exit code 3, unless ` + "`--allow-cut`" + ` accepts the part. It never replaces a whole snapshot, and a cut result without rows is always an error.

## Fields

| field | meaning |
|---|---|
| ` + "`kind`" + ` | one of the kinds below |
| ` + "`text`" + ` | one sentence that says all of it |
| ` + "`about`" + ` | the table, snapshot, file, sheet or columns that it is true of |
| ` + "`count`" + ` | how many: ` + "`n`" + ` rows, cells, columns, lines, pages, sheets, files or bytes; with ` + "`at_least`" + ` there may be more |
| ` + "`reason`" + ` | the limit, rule or guess behind it, for programs |
| ` + "`next`" + ` | what can be done, where the door has not put it into the text |

## Kinds, the most serious first

| kind | the matter | example |
|---|---|---|
`)
	for _, k := range api.CaveatKinds() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.Kind, tableCell(k.Means), tableCell(k.Example))
	}
	return b.String() + caveatsShown
}

func strictWords() string {
	var words []string
	for _, k := range api.StrictKinds() {
		words = append(words, "`"+string(k)+"`")
	}
	return strings.Join(words, ", ")
}
