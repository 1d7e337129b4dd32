package api

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestRowKeepsOrderAndDigitsAtEveryDepth(t *testing.T) {
	const text = `{"z":1,"a":{"y":12345678901234567890,"b":[{"d":1.50,"c":null},[]]},"e":{},"z":"twice"}`
	var row Row
	if err := json.Unmarshal([]byte(text), &row); err != nil {
		t.Fatal(err)
	}
	back, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	if string(back) != text {
		t.Errorf("got  %s\nwant %s", back, text)
	}
	want := Row{Columns: []string{"y", "b"}, Values: []any{
		json.Number("12345678901234567890"),
		[]any{Row{Columns: []string{"d", "c"}, Values: []any{json.Number("1.50"), nil}}, []any{}},
	}}
	if !reflect.DeepEqual(row.Values[1], want) {
		t.Errorf("nested object: got %#v", row.Values[1])
	}
}

func TestRowEscapesForHTMLOnlyIfAsked(t *testing.T) {
	row := Row{Columns: []string{"<"}, Values: []any{Row{Columns: []string{"a"}, Values: []any{"&"}}}}
	text, err := json.Marshal(row)
	if want := `{"\u003c":{"a":"\u0026"}}`; err != nil || string(text) != want {
		t.Errorf("got %s, %v; want %s", text, err, want)
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(row); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), `{"<":{"a":"&"}}`+"\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRowRefusesWhatIsNoObject(t *testing.T) {
	for _, text := range []string{`[]`, `1`, `"a"`, `{"a":}`, `{"a":[1,}`, `{`} {
		var row Row
		if err := json.Unmarshal([]byte(text), &row); err == nil {
			t.Errorf("%s: accepted as %v", text, row)
		}
	}
}
