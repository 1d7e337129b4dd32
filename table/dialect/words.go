package dialect

import (
	"strings"

	"github.com/agnes-data/da/table/infer"
)

// The kinds of contents that a known word in a column name suggests.
const (
	anyValue  = iota + 1 // any kind
	numbers              // amounts and the like
	dates                // dates and times
	plainText            // names and other text
)

// knownWord returns what a column most likely contains according to a known word
// in its name, in a few languages; 0 if there is no such word.
func knownWord(t []byte) int {
	words := strings.FieldsFunc(strings.ToLower(string(t)), func(r rune) bool {
		return r == ' ' || r == '_' || r == '-' || r == '.' || r == '(' || r == ')' || r == '/' || r == '#'
	})
	for _, w := range words {
		switch w {
		case "id", "zip", "code", "type", "status", "key", "size", "group", "uuid", "phone", "level", "value", "month", "state", "first", "last",
			"user", "sex":
			return anyValue
		case "price", "amount", "total", "qty", "quantity", "count", "age", "year", "latitude", "longitude", "lat", "lon", "lng", "score", "rate",
			"cena", "částka", "množství", "importe", "prix", "montant", "preis", "betrag", "menge":
			return numbers
		case "date", "time", "day", "datum", "fecha":
			return dates
		case "name", "city", "country", "email", "address", "street", "description", "note", "notes", "comment", "comments", "title", "category",
			"product", "customer", "gender", "url", "label", "currency", "color", "colour", "region", "text", "message", "tags", "model", "brand",
			"jméno", "název", "město", "popis", "nombre", "concepto", "ciudad", "nom", "ville", "stadt", "bezeichnung", "kunde":
			return plainText
		}
	}
	return 0
}

// agrees weighs how well names fit the columns below them if the first name
// belongs to column from. Each known word counts for or against.
func agrees(names []cell, data []record, from, n int) int {
	score := 0
	for j, name := range names {
		word := knownWord(name.text)
		if word <= anyValue {
			continue
		}
		kinds := map[int]int{}
		for _, c := range column(data, from+j, n) {
			switch infer.LookAt(c.text) {
			case infer.LooksNumber:
				kinds[numbers]++
			case infer.LooksDate:
				kinds[dates]++
			case infer.LooksText:
				kinds[plainText]++
			}
		}
		switch all := kinds[numbers] + kinds[dates] + kinds[plainText]; {
		case kinds[word]*2 > all:
			score++
		case all > 0:
			score--
		}
	}
	return score
}

// column collects the cells of a column from records of the right width.
func column(data []record, j, n int) []cell {
	out := make([]cell, 0, len(data))
	for _, rec := range data {
		if j < len(rec.cells) && (len(rec.cells) == n || n == 1) && len(rec.cells[j].text) > 0 {
			out = append(out, rec.cells[j])
		}
	}
	return out
}
